variable "name" {
  description = "Name of every resource; 3 to 54 letters, digits and `-`. Not given: made of policy, pool and place."
  type        = string
  default     = null

  validation {
    condition     = var.name == null || can(regex("^[A-Za-z0-9][A-Za-z0-9-]{1,52}[A-Za-z0-9]$", var.name))
    error_message = "A name has 3 to 54 letters, digits and hyphens, and begins and ends with a letter or digit."
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
  description = "Location of every resource, as `eastus`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+[0-9]*$", var.region))
    error_message = "A region reads like eastus: the name of a location, without blanks."
  }
}

variable "zones" {
  description = "Availability zones that the group spans: `1`, `2` or `3`. Empty: the region as a whole."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^[1-3]$", zone))])
    error_message = "Zones are 1, 2 and 3."
  }
}

variable "instance_type" {
  description = "Size of a machine, as `Standard_ND96asr_v4`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^(Standard|Basic)_[A-Za-z0-9_-]+$", var.instance_type))
    error_message = "A size reads like Standard_ND96asr_v4."
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
  description = "Processor of the size, for looking up the image: `x86_64` or `arm64`."
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
  description = "Id of the capacity reservation group that `reserved` nodes come out of. Only with capacity type `reserved`."
  type        = string
  default     = null

  validation {
    condition     = var.reservation_id == null || can(regex("(?i)^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Compute/capacityReservationGroups/[^/]+$", var.reservation_id))
    error_message = "A reservation is the id of a capacity reservation group: /subscriptions/.../capacityReservationGroups/NAME."
  }
}

variable "reservation_kind" {
  description = "`on_demand`: what Azure calls an on-demand capacity reservation."
  type        = string
  default     = "on_demand"
  nullable    = false

  validation {
    condition     = var.reservation_kind == "on_demand"
    error_message = "Azure has no capacity blocks: leave reservation_kind out, or name a reservation of yours."
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
    condition     = var.desired_count == null ? true : var.desired_count >= 0 && var.desired_count <= 1000 && floor(var.desired_count) == var.desired_count
    error_message = "The number of nodes is a whole number from 0 to 1000."
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
  description = "Most nodes that the group may ever have, 1000 at most. Not given: `desired_count`."
  type        = number
  default     = null

  validation {
    condition     = var.max_count == null ? true : var.max_count >= 0 && var.max_count <= 1000 && floor(var.max_count) == var.max_count
    error_message = "The largest number of nodes is a whole number from 0 to 1000."
  }
}

variable "max_price_per_node_hour" {
  description = "Highest spot price paid, in USD per node and hour, as decimal text with at most 5 decimals (`\"12.00\"`). Not given: -1, up to the on-demand price."
  type        = string
  default     = null

  validation {
    condition     = var.max_price_per_node_hour == null ? true : can(regex("^[0-9]+(\\.[0-9]{1,5})?$", var.max_price_per_node_hour)) && can(regex("[1-9]", var.max_price_per_node_hour))
    error_message = "A highest price is plain decimal text above zero with at most 5 decimals, such as \"12.00\". Leave it out for none."
  }
}

variable "labels" {
  description = "Tags of your own, on every resource and node; `managed-by`, `policy`, `pool` and `place` are ours."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setintersection([for key in keys(var.labels) : lower(key)], ["managed-by", "policy", "pool", "place"])) == 0
    error_message = "The tags managed-by, policy, pool and place are set by the module: give that label another name."
  }

  validation {
    condition     = length(var.labels) <= 46 && length(distinct([for key in keys(var.labels) : lower(key)])) == length(var.labels)
    error_message = "Azure takes 50 tags, four of them ours, and no two that differ in letter case only: remove or rename a label."
  }

  validation {
    condition     = alltrue([for key in keys(var.labels) : !can(regex("(?i)^(microsoft|azure|windows)", key))])
    error_message = "Tags that begin with microsoft, azure or windows belong to Azure: give that label another name."
  }

  validation {
    condition     = alltrue([for key, value in var.labels : can(regex("^[^<>%&\\\\?/]{1,512}$", key)) && length(value) <= 256])
    error_message = "A tag of Azure has a key of at most 512 characters without <, >, %, &, \\, ? and /, and a value of at most 256."
  }
}

variable "network_id" {
  description = "Virtual network that `subnet_ids` belong to. Not given: a minimal one is made."
  type        = string
  default     = null
}

variable "subnet_ids" {
  description = "Id of the subnet of `network_id`, at most one. Empty: made with the network."
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
  description = "Image of the nodes: a resource id, or `publisher:offer:sku:version`, with `:plan` behind it if it is sold with a plan. Not given: the newest Ubuntu HPC image for the size at the first apply, which then stays."
  type        = string
  default     = null

  validation {
    condition     = var.image_id == null || can(regex("^(/[^:]+|[^:/]+:[^:]+:[^:]+:[^:]+(:plan)?)$", var.image_id))
    error_message = "An image is a resource id or publisher:offer:sku:version, with :plan behind it if it is sold with a plan."
  }
}

variable "resource_group_name" {
  description = "Resource group to put everything into. Not given: one is made."
  type        = string
  default     = null

  validation {
    condition     = var.resource_group_name == null || can(regex("^[\\p{L}\\p{N}_().-]{0,89}[\\p{L}\\p{N}_()-]$", var.resource_group_name))
    error_message = "A resource group's name has at most 90 letters, digits, hyphens, underscores, brackets and full stops, the last not at its end."
  }
}

variable "orchestration" {
  description = "How the scale set keeps its machines: `uniform` or `flexible`. Not given: `uniform`, or `flexible` with `public_ip`."
  type        = string
  default     = null

  validation {
    condition     = var.orchestration == null || contains(["uniform", "flexible"], coalesce(var.orchestration, "none"))
    error_message = "The orchestration is uniform or flexible."
  }
}

variable "encryption_at_host" {
  description = "Whether the machine's host encrypts caches and temporary disks too. The subscription must have the feature `EncryptionAtHost`."
  type        = bool
  default     = false
  nullable    = false
}

variable "disk_gib" {
  description = "Size of the OS disk in GiB, which Azure always encrypts at rest; at least that of the image."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.disk_gib >= 30 && var.disk_gib <= 4095 && floor(var.disk_gib) == var.disk_gib
    error_message = "A disk has a whole number of GiB from 30 to 4095."
  }
}

variable "startup_base64" {
  description = "Script run at the first boot, in base64 (`filebase64(\"startup.sh\")`); at most 48 KiB before base64."
  type        = string
  default     = null
  sensitive   = true

  validation {
    condition     = var.startup_base64 == null ? true : can(regex("^[A-Za-z0-9+/]+=*$", var.startup_base64)) && length(var.startup_base64) <= 65536
    error_message = "The startup script is base64 of at most 48 KiB. Let a longer one fetch the rest."
  }
}

variable "ssh_public_key" {
  description = "Public key (RSA or Ed25519) let in by SSH for the user `multicloud`. It opens no port. Given neither this nor `key_id`: a key that nobody has the private half of, since a scale set needs one."
  type        = string
  default     = null

  validation {
    condition     = var.ssh_public_key == null || can(regex("^(ssh-rsa|ssh-ed25519) [A-Za-z0-9+/]+=*( |$)", var.ssh_public_key))
    error_message = "Azure takes keys that begin with ssh-rsa or ssh-ed25519."
  }
}

variable "key_id" {
  description = "Id of an SSH key kept in Azure (`Microsoft.Compute/sshPublicKeys`), in place of `ssh_public_key`."
  type        = string
  default     = null

  validation {
    condition     = var.key_id == null || can(regex("(?i)^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Compute/sshPublicKeys/[^/]+$", var.key_id))
    error_message = "A key is the id of an SSH key kept in Azure: /subscriptions/.../Microsoft.Compute/sshPublicKeys/NAME."
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
  description = "Whether nodes are in one placement group, joined by InfiniBand, for sizes that have it."
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
}
