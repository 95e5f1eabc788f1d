variable "name" {
  description = "Name of every resource; 2 to 55 letters, digits, `.`, `_` and `-`. Not given: made of policy, pool and place."
  type        = string
  default     = null

  validation {
    condition     = var.name == null || can(regex("^[A-Za-z0-9][A-Za-z0-9._-]{0,53}[A-Za-z0-9]$", var.name))
    error_message = "A name has 2 to 55 letters, digits, dots, underscores and hyphens, and begins and ends with a letter or digit."
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
  description = "Region of the provider, as `ap-guangzhou`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z0-9]+)+$", var.region))
    error_message = "A region reads like ap-guangzhou."
  }
}

variable "zones" {
  description = "Zones that the group spans, as `ap-guangzhou-6`. Empty: every zone of the region where machines are sold."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^[a-z]{2}(-[a-z0-9]+)+-[0-9]+$", zone))])
    error_message = "A zone reads like ap-guangzhou-6."
  }
}

variable "instance_type" {
  description = "Instance type, as `GN7.5XLARGE80`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9]+\\.[A-Z0-9]+$", var.instance_type))
    error_message = "An instance type reads like GN7.5XLARGE80."
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
  description = "Processor of the instance type: `x86_64`, the only one with GPUs on Tencent Cloud."
  type        = string
  default     = "x86_64"
  nullable    = false

  validation {
    condition     = var.architecture == "x86_64"
    error_message = "The architecture is x86_64: Tencent Cloud has no other with GPUs."
  }
}

variable "capacity_type" {
  description = "How nodes are bought: `on_demand` or `spot`; `reserved` is refused."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["on_demand", "spot", "reserved"], var.capacity_type)
    error_message = "The capacity type is on_demand or spot."
  }

  validation {
    condition     = var.capacity_type != "reserved"
    error_message = "A scaling configuration of Tencent Cloud cannot name a reservation: set capacity_type to on_demand, to which reserved instances that you own apply by themselves."
  }
}

variable "reservation_id" {
  description = "Not to be given: scaling configurations of Tencent Cloud take no reservation."
  type        = string
  default     = null

  validation {
    condition     = var.reservation_id == null
    error_message = "Scaling configurations of Tencent Cloud take no reservation: leave reservation_id out."
  }
}

variable "reservation_kind" {
  description = "`on_demand`: there are no capacity blocks."
  type        = string
  default     = "on_demand"
  nullable    = false

  validation {
    condition     = var.reservation_kind == "on_demand"
    error_message = "Tencent Cloud has no capacity blocks: leave reservation_kind out."
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
    condition     = var.desired_count == null ? true : var.desired_count >= 0 && var.desired_count <= 2000 && floor(var.desired_count) == var.desired_count
    error_message = "The number of nodes is a whole number from 0 to 2000."
  }
}

variable "min_count" {
  description = "Least nodes, with autoscaler `external`. Not given: 0."
  type        = number
  default     = null

  validation {
    condition     = var.min_count == null ? true : var.min_count >= 0 && var.min_count <= 2000 && floor(var.min_count) == var.min_count
    error_message = "The least number of nodes is a whole number from 0 to 2000."
  }
}

variable "max_count" {
  description = "Most nodes that the group may ever have, 2000 at most. Not given: `desired_count`; needed with autoscaler `external`."
  type        = number
  default     = null

  validation {
    condition     = var.max_count == null ? true : var.max_count >= 0 && var.max_count <= 2000 && floor(var.max_count) == var.max_count
    error_message = "The largest number of nodes is a whole number from 0 to 2000."
  }
}

variable "max_price_per_node_hour" {
  description = "Highest spot price paid per node and hour, in the account's currency (CNY, or USD on the international site), as decimal text (`\"12.00\"`). Not given: a bid so high that it never decides."
  type        = string
  default     = null

  validation {
    condition     = var.max_price_per_node_hour == null ? true : can(regex("^[0-9]+(\\.[0-9]+)?$", var.max_price_per_node_hour)) && can(regex("[1-9]", var.max_price_per_node_hour))
    error_message = "A highest price is plain decimal text above zero, such as \"12.00\". Leave it out for none."
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
    condition     = alltrue([for key in keys(var.labels) : !can(regex("^(qcs:|project|项目)", lower(key)))])
    error_message = "Tags that begin with qcs: or project belong to Tencent Cloud: give that label another name."
  }

  validation {
    condition     = length(var.labels) <= 6
    error_message = "A scaling configuration gives its nodes at most 10 tags, and 4 are ours: give at most 6 labels."
  }

  validation {
    condition     = alltrue([for value in values(var.labels) : value != ""])
    error_message = "Tencent Cloud takes no empty tag: give every label a value."
  }
}

variable "network_id" {
  description = "VPC to put the nodes into, together with `subnet_ids`. Not given: a minimal one is made."
  type        = string
  default     = null
}

variable "subnet_ids" {
  description = "Subnets of `network_id`; with `zones`, only those in these zones are used. Empty: made with the network."
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
  description = "Image of the nodes. Not given: the public image of `image_os` at the first apply, which then stays."
  type        = string
  default     = null

  validation {
    condition     = var.image_id == null || can(regex("^img-[0-9a-z]+$", var.image_id))
    error_message = "An image is an id such as img-487zeit5."
  }
}

variable "image_os" {
  description = "Operating system of the public image that is looked up. It has no GPU driver: `startup_base64` installs one, or `image_id` brings one."
  type        = string
  default     = "Ubuntu Server 22.04 LTS 64bit"
  nullable    = false
}

variable "disk_gib" {
  description = "Size of the system disk in GiB; at least that of the image. Its encryption cannot be asked for here: see the README."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.disk_gib >= 20 && var.disk_gib <= 2048 && floor(var.disk_gib) == var.disk_gib
    error_message = "A disk has a whole number of GiB from 20 to 2048."
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
  description = "Public key let in by SSH; a key pair is made of it. It opens no port."
  type        = string
  default     = null
}

variable "key_id" {
  description = "Id of a key pair that exists already, as `skey-0123abcd`."
  type        = string
  default     = null
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
  description = "Not to be asked for: a scaling configuration puts no node into a high-performance cluster."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.cluster_network
    error_message = "A scaling configuration of Tencent Cloud puts no node into a high-performance cluster: set cluster_network = false."
  }
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
