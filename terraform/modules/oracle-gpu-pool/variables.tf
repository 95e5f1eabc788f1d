variable "name" {
  description = "Name of every resource; 2 to 200 letters, digits, `.`, `_` and `-`. Not given: made of policy, pool and place."
  type        = string
  default     = null

  validation {
    condition     = var.name == null || can(regex("^[A-Za-z0-9][A-Za-z0-9._-]{0,198}[A-Za-z0-9]$", var.name))
    error_message = "A name has 2 to 200 letters, digits, dots, underscores and hyphens, and begins and ends with a letter or digit."
  }
}

variable "policy_name" {
  description = "Policy that the pool belongs to; the tag `policy`."
  type        = string
  nullable    = false
}

variable "pool_name" {
  description = "Name of the pool; the tag `pool`."
  type        = string
  nullable    = false
}

variable "place" {
  description = "8 hex digits that name the place; the tag `place`. Not given: computed from region, zones, instance type and capacity type."
  type        = string
  default     = null

  validation {
    condition     = var.place == null || can(regex("^[0-9a-f]{8}$", var.place))
    error_message = "A place is 8 hex digits in lower case. Leave it out to have it computed."
  }
}

variable "region" {
  description = "Region of the provider, as `us-ashburn-1`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "A region reads like us-ashburn-1."
  }
}

variable "zones" {
  description = "Availability domains that the group spans, as `us-ashburn-1-AD-1`: region and number, since the full names differ between tenancies. Empty: every one of the region."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+-AD-[1-3]$", zone))])
    error_message = "An availability domain reads like us-ashburn-1-AD-1."
  }
}

variable "instance_type" {
  description = "Shape, as `BM.GPU4.8` or `VM.GPU.A10.1`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^(VM|BM)\\.[A-Za-z0-9.-]+$", var.instance_type))
    error_message = "A shape reads like BM.GPU4.8."
  }
}

variable "gpu" {
  description = "GPU model and GPUs per node, for people: the instance type decides what a node has."
  type = object({
    type  = string
    count = number
  })
  nullable = false

  validation {
    condition     = var.gpu.count > 0
    error_message = "A GPU pool has more than 0 GPUs per node."
  }
}

variable "architecture" {
  description = "Processor of the shape, for looking up the image: `x86_64` or `arm64`."
  type        = string
  default     = "x86_64"
  nullable    = false

  validation {
    condition     = contains(["x86_64", "arm64"], var.architecture)
    error_message = "The architecture is x86_64 or arm64."
  }
}

variable "capacity_type" {
  description = "How nodes are bought: `on_demand`, `spot` or `reserved`."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["on_demand", "spot", "reserved"], var.capacity_type)
    error_message = "The capacity type is on_demand, spot or reserved."
  }
}

variable "reservation_id" {
  description = "OCID of the compute capacity reservation that `reserved` nodes come out of. Only with capacity type `reserved`."
  type        = string
  default     = null

  validation {
    condition     = var.reservation_id == null || can(regex("^ocid1\\.capacityreservation\\.", var.reservation_id))
    error_message = "A reservation is an OCID that begins with ocid1.capacityreservation."
  }
}

variable "reservation_kind" {
  description = "`on_demand`: what Oracle Cloud calls a compute capacity reservation."
  type        = string
  default     = "on_demand"
  nullable    = false

  validation {
    condition     = var.reservation_kind == "on_demand"
    error_message = "Oracle Cloud has no capacity blocks: leave reservation_kind out, or name a reservation of yours."
  }
}

variable "autoscaler" {
  description = "Who decides the size: `managed` is `desired_count`, `external` somebody else within the bounds."
  type        = string
  default     = "managed"
  nullable    = false

  validation {
    condition     = contains(["managed", "external"], var.autoscaler)
    error_message = "The autoscaler is managed or external."
  }
}

variable "desired_count" {
  description = "Nodes wanted; 0 keeps the group and empties it. Left out with autoscaler `external`."
  type        = number
  default     = null

  validation {
    condition     = var.desired_count == null ? true : var.desired_count >= 0 && var.desired_count <= 500 && floor(var.desired_count) == var.desired_count
    error_message = "The number of nodes is a whole number from 0 to 500."
  }
}

variable "min_count" {
  description = "Least nodes, with autoscaler `external`. Not given: 0."
  type        = number
  default     = null

  validation {
    condition     = var.min_count == null ? true : var.min_count >= 0 && floor(var.min_count) == var.min_count
    error_message = "The least number of nodes is a whole number, 0 or more."
  }
}

variable "max_count" {
  description = "Most nodes that the group may ever have, 500 at most. Not given: `desired_count`."
  type        = number
  default     = null

  validation {
    condition     = var.max_count == null ? true : var.max_count >= 0 && var.max_count <= 500 && floor(var.max_count) == var.max_count
    error_message = "The largest number of nodes is a whole number from 0 to 500."
  }
}

variable "max_price_per_node_hour" {
  description = "Not to be given: Oracle Cloud takes no highest price, preemptible nodes cost half of the list."
  type        = string
  default     = null

  validation {
    condition     = var.max_price_per_node_hour == null
    error_message = "Oracle Cloud takes no highest price for spot nodes: leave max_price_per_node_hour out and watch the price instead."
  }
}

variable "labels" {
  description = "Tags of your own, at most 6, on every resource and node; `managed-by`, `policy`, `pool` and `place` are ours."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setintersection([for key in keys(var.labels) : lower(key)], ["managed-by", "policy", "pool", "place"])) == 0
    error_message = "The tags managed-by, policy, pool and place are set by the module: give that label another name."
  }

  validation {
    condition     = alltrue([for key, value in var.labels : length(key) <= 100 && length(value) <= 256 && can(regex("^[!-~]+$", key)) && !strcontains(key, ".")])
    error_message = "A freeform tag of Oracle Cloud has a key of at most 100 characters of ASCII without dots and blanks, and a value of at most 256."
  }

  validation {
    condition     = length(var.labels) <= 6
    error_message = "Oracle Cloud takes at most 10 freeform tags, and 4 are ours: give at most 6 labels."
  }
}

variable "network_id" {
  description = "OCID of the VCN to put the nodes into, together with `subnet_ids`. Not given: a minimal one is made."
  type        = string
  default     = null
}

variable "subnet_ids" {
  description = "OCID of the regional subnet of `network_id`, at most one. Empty: made with the network."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "network_cidr" {
  description = "Addresses of a network that is made: an IPv4 block of /16 to /24."
  type        = string
  default     = "10.64.0.0/16"
  nullable    = false

  validation {
    condition     = can(cidrnetmask(var.network_cidr)) && try(tonumber(split("/", var.network_cidr)[1]) >= 16 && tonumber(split("/", var.network_cidr)[1]) <= 24, false)
    error_message = "The addresses are an IPv4 block between /16 and /24, such as 10.64.0.0/16."
  }
}

variable "image_id" {
  description = "OCID of the nodes' image. Not given: the newest Oracle Linux image with GPU driver for the shape at the first apply, which then stays."
  type        = string
  default     = null

  validation {
    condition     = var.image_id == null || can(regex("^ocid1\\.image\\.", var.image_id))
    error_message = "An image is an OCID that begins with ocid1.image."
  }
}

variable "compartment_id" {
  description = "OCID of the compartment to put everything into."
  type        = string
  default     = null

  validation {
    condition     = var.compartment_id == null || can(regex("^ocid1\\.(compartment|tenancy)\\.", var.compartment_id))
    error_message = "A compartment is an OCID that begins with ocid1.compartment. (or ocid1.tenancy. for the root)."
  }
}

variable "flex" {
  description = "Cores and memory of a flexible shape (`VM.*.Flex`); other shapes have theirs."
  type = object({
    ocpus      = number
    memory_gib = number
  })
  default = null
}

variable "disk_gib" {
  description = "Size of the boot volume in GiB, which Oracle Cloud always encrypts; at least that of the image."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.disk_gib >= 50 && var.disk_gib <= 32768 && floor(var.disk_gib) == var.disk_gib
    error_message = "A disk has a whole number of GiB from 50 to 32768."
  }
}

variable "startup_base64" {
  description = "Script run at the first boot, in base64 (`filebase64(\"startup.sh\")`); at most 16 KiB before base64."
  type        = string
  default     = null
  sensitive   = true

  validation {
    condition     = var.startup_base64 == null ? true : can(regex("^[A-Za-z0-9+/]+=*$", var.startup_base64)) && length(var.startup_base64) <= 21848
    error_message = "The startup script is base64 of at most 16 KiB. Let a longer one fetch the rest."
  }
}

variable "ssh_public_key" {
  description = "Public key let in by SSH for the image's own user (`opc`). It opens no port."
  type        = string
  default     = null
}

variable "key_id" {
  description = "Not to be given: Oracle Cloud keeps no key pairs."
  type        = string
  default     = null

  validation {
    condition     = var.key_id == null
    error_message = "Oracle Cloud keeps no key pairs: give ssh_public_key, or none."
  }
}

variable "public_ip" {
  description = "Whether nodes have public addresses. A network that is made has a way out only then."
  type        = bool
  default     = false
  nullable    = false
}

variable "ports" {
  description = "TCP ports open to `port_sources`. None by default; nodes of the pool always reach each other."
  type        = list(number)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for port in var.ports : port >= 1 && port <= 65535 && floor(port) == port])
    error_message = "A port is a whole number from 1 to 65535."
  }
}

variable "port_sources" {
  description = "IPv4 blocks from which `ports` are reached."
  type        = list(string)
  default     = ["0.0.0.0/0"]
  nullable    = false

  validation {
    condition     = alltrue([for block in var.port_sources : can(cidrnetmask(block))])
    error_message = "Sources are IPv4 blocks such as 203.0.113.0/24."
  }
}

variable "cluster_network" {
  description = "Whether nodes are joined by an RDMA cluster network, for bare-metal shapes that have it."
  type        = bool
  default     = false
  nullable    = false
}

variable "backstop" {
  description = "Times of the week, in UTC, at which the cloud's own schedule empties the group: `mon` to `sun` and `HH:MM`."
  type = list(object({
    days = list(string)
    time = string
  }))
  default  = []
  nullable = false

  validation {
    condition     = alltrue([for stop in var.backstop : length(stop.days) > 0 && length(setsubtract(stop.days, ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])) == 0])
    error_message = "A backstop has one or more days of mon, tue, wed, thu, fri, sat and sun."
  }

  validation {
    condition     = alltrue([for stop in var.backstop : can(regex("^([01][0-9]|2[0-3]):[0-5][0-9]$", stop.time))])
    error_message = "A backstop's time reads like 22:00, in UTC."
  }

  validation {
    condition     = length(var.backstop) <= 50
    error_message = "An autoscaling configuration has at most 50 schedules: put the days of one time together."
  }
}
