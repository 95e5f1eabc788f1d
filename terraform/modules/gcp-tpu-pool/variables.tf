variable "name" {
  description = "Name of every resource, before a number for each node; 3 to 58 lower-case letters, digits and `-`. Not given: made of policy, pool and place."
  type        = string
  default     = null

  validation {
    condition     = var.name == null || can(regex("^[a-z][a-z0-9-]{1,56}[a-z0-9]$", var.name))
    error_message = "A name has 3 to 58 lower-case letters, digits and hyphens, begins with a letter and ends with a letter or digit."
  }
}

variable "policy_name" {
  description = "Policy that the pool belongs to; the label `policy`."
  type        = string
  nullable    = false
}

variable "pool_name" {
  description = "Name of the pool; the label `pool`."
  type        = string
  nullable    = false
}

variable "place" {
  description = "8 hex digits that name the place; the label `place`. Not given: computed from region, zones, instance type and capacity type."
  type        = string
  default     = null

  validation {
    condition     = var.place == null || can(regex("^[0-9a-f]{8}$", var.place))
    error_message = "A place is 8 hex digits in lower case. Leave it out to have it computed."
  }
}

variable "region" {
  description = "Region of the provider, as `us-central1`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "A region reads like us-central1."
  }
}

variable "zones" {
  description = "The one zone of the nodes, as `us-central1-a`: a TPU lives in one."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(var.zones) == 1 && alltrue([for zone in var.zones : can(regex("^[a-z]+-[a-z]+[0-9]+-[a-z]$", zone))])
    error_message = "A TPU pool has one zone, which reads like us-central1-a."
  }
}

variable "instance_type" {
  description = "Accelerator type of a slice, as `v5litepod-8` (v5e, by chips) or `v5p-8` (v5p, by cores, two to a chip). One node is one slice."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^(v5litepod|v5p)-[0-9]+$", var.instance_type))
    error_message = "An accelerator type reads like v5litepod-8 or v5p-8."
  }
}

variable "gpu" {
  description = "TPU generation and chips per node, for people: the accelerator type decides."
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
  description = "Processor of the hosts: `x86_64`."
  type        = string
  default     = "x86_64"
  nullable    = false

  validation {
    condition     = var.architecture == "x86_64"
    error_message = "Hosts of TPUs are x86_64."
  }
}

variable "capacity_type" {
  description = "How nodes are bought: `on_demand` only."
  type        = string
  nullable    = false

  validation {
    condition     = var.capacity_type == "on_demand"
    error_message = "This module buys TPUs on demand only: a spot TPU that was taken back stays as a resource and is never made again, and a reservation cannot be named."
  }
}

variable "reservation_id" {
  description = "Not to be given: a reservation of TPUs cannot be named."
  type        = string
  default     = null

  validation {
    condition     = var.reservation_id == null
    error_message = "A reservation of TPUs cannot be named: leave reservation_id out."
  }
}

variable "reservation_kind" {
  description = "Not to be given but as `on_demand`."
  type        = string
  default     = "on_demand"
  nullable    = false

  validation {
    condition     = var.reservation_kind == "on_demand"
    error_message = "This module has no capacity blocks: leave reservation_kind out, or name a reservation of yours."
  }
}

variable "autoscaler" {
  description = "Who decides the size: `managed` is `desired_count`. TPUs have no group that somebody else could resize."
  type        = string
  default     = "managed"
  nullable    = false

  validation {
    condition     = var.autoscaler == "managed"
    error_message = "TPUs have no group that somebody else could resize: leave autoscaler out."
  }
}

variable "desired_count" {
  description = "Nodes wanted; 0 keeps the network and removes the nodes."
  type        = number
  default     = null

  validation {
    condition     = var.desired_count == null ? true : var.desired_count >= 0 && floor(var.desired_count) == var.desired_count
    error_message = "The number of nodes is a whole number, 0 or more."
  }
}

variable "min_count" {
  description = "Not to be given: nobody else decides the size."
  type        = number
  default     = null

  validation {
    condition     = var.min_count == null
    error_message = "min_count goes with an external autoscaler, which TPUs have not: leave it out."
  }
}

variable "max_count" {
  description = "Most nodes that there may be. Not given: `desired_count`."
  type        = number
  default     = null

  validation {
    condition     = var.max_count == null ? true : var.max_count >= 0 && floor(var.max_count) == var.max_count
    error_message = "The largest number of nodes is a whole number, 0 or more."
  }
}

variable "max_price_per_node_hour" {
  description = "Not to be given: TPUs on demand cost what the list says."
  type        = string
  default     = null

  validation {
    condition     = var.max_price_per_node_hour == null
    error_message = "TPUs on demand cost what the list says: leave max_price_per_node_hour out and watch the price instead."
  }
}

variable "labels" {
  description = "Labels of your own, on every resource that can have them and on nodes; `managed-by`, `policy`, `pool` and `place` are ours."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setintersection([for key in keys(var.labels) : lower(key)], ["managed-by", "policy", "pool", "place"])) == 0
    error_message = "The labels managed-by, policy, pool and place are set by the module: give that label another name."
  }

  validation {
    condition     = alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{0,63}$", value))])
    error_message = "Google Cloud takes labels of at most 63 lower-case letters, digits, underscores and hyphens; a key begins with a letter."
  }
}

variable "network_id" {
  description = "VPC network to put the nodes into (name or self link), together with `subnet_ids`. Not given: a minimal one is made."
  type        = string
  default     = null
}

variable "subnet_ids" {
  description = "Subnetwork of `network_id`, at most one: it spans the region. Empty: made with the network."
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
  description = "Runtime version of the nodes' software, as `v2-alpha-tpuv5-lite`. Not given: the one for the generation."
  type        = string
  default     = null
}

variable "service_account" {
  description = "E-mail of the service account that nodes run as. Not given: that of the project."
  type        = string
  default     = null

  validation {
    condition     = var.service_account == null || can(regex("^[^@ ]+@[^@ ]+$", var.service_account))
    error_message = "A service account is an e-mail such as nodes@my-project.iam.gserviceaccount.com."
  }
}

variable "disk_gib" {
  description = "At most 100: the boot disk of a TPU host has 100 GiB and cannot grow."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.disk_gib >= 10 && var.disk_gib <= 100 && floor(var.disk_gib) == var.disk_gib
    error_message = "The boot disk of a TPU host has 100 GiB and cannot grow: ask for 100 or less, and keep data elsewhere."
  }
}

variable "startup_base64" {
  description = "Script run at every boot, in base64 (`filebase64(\"startup.sh\")`); at most 192 KiB before base64."
  type        = string
  default     = null
  sensitive   = true

  validation {
    condition     = var.startup_base64 == null ? true : can(regex("^[A-Za-z0-9+/]+=*$", var.startup_base64)) && length(var.startup_base64) <= 262144
    error_message = "The startup script is base64 of at most 192 KiB. Let a longer one fetch the rest."
  }
}

variable "ssh_public_key" {
  description = "Public key let in by SSH for the user `multicloud`. It opens no port. Without it OS Login decides."
  type        = string
  default     = null
}

variable "key_id" {
  description = "Not to be given: Google Cloud keeps no key pairs."
  type        = string
  default     = null

  validation {
    condition     = var.key_id == null
    error_message = "Google Cloud keeps no key pairs: give ssh_public_key, or none and use OS Login."
  }
}

variable "public_ip" {
  description = "Whether nodes have public addresses. Without them a network that is made reaches Google's own services only."
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
  description = "Not to be given: chips of a slice are joined by ICI already; slices meet over the network."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.cluster_network
    error_message = "Chips of one slice are joined already: ask for a larger slice, and set cluster_network = false."
  }
}

variable "backstop" {
  description = "Not to be given: TPUs have no schedule of the cloud's."
  type = list(object({
    days = list(string)
    time = string
  }))
  default  = []
  nullable = false

  validation {
    condition     = length(var.backstop) == 0
    error_message = "TPUs have no schedule of the cloud's that takes them down: leave backstop out."
  }
}
