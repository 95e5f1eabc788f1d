variable "name" {
  description = "Name of every resource; 3 to 58 lower-case letters, digits and `-`. Not given: made of policy, pool and place."
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
  description = "Zones that the group spans, as `us-central1-a`: one makes a zonal group, several a regional one. Empty: every zone of the region."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^[a-z]+-[a-z]+[0-9]+-(ai[0-9]+)?[a-z]$", zone))])
    error_message = "A zone reads like us-central1-a."
  }
}

variable "instance_type" {
  description = "Machine type, as `a2-highgpu-8g`, or `n1-standard-16` with `gpu` attached to it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)+$", var.instance_type))
    error_message = "A machine type reads like a2-highgpu-8g."
  }
}

variable "gpu" {
  description = "GPU model and GPUs per node. N1 machines get these attached; with every other machine type they are for people, since the type decides."
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
  description = "Processor of the machine type, for looking up the image: `x86_64` or `arm64`."
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
  description = "Name of the reservation that `reserved` nodes come out of, of this project. Only with capacity type `reserved`."
  type        = string
  default     = null
}

variable "reservation_kind" {
  description = "`on_demand`: what Google Cloud calls a specific reservation."
  type        = string
  default     = "on_demand"
  nullable    = false

  validation {
    condition     = var.reservation_kind == "on_demand"
    error_message = "This module has no capacity blocks: leave reservation_kind out, or name a reservation of yours."
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
    condition     = var.desired_count == null ? true : var.desired_count >= 0 && floor(var.desired_count) == var.desired_count
    error_message = "The number of nodes is a whole number, 0 or more."
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
  description = "Most nodes that the group may ever have. Not given: `desired_count`."
  type        = number
  default     = null

  validation {
    condition     = var.max_count == null ? true : var.max_count >= 0 && floor(var.max_count) == var.max_count
    error_message = "The largest number of nodes is a whole number, 0 or more."
  }
}

variable "max_price_per_node_hour" {
  description = "Not to be given: Google Cloud takes no highest price, spot nodes cost what the list says."
  type        = string
  default     = null

  validation {
    condition     = var.max_price_per_node_hour == null
    error_message = "Google Cloud takes no highest price for spot nodes: leave max_price_per_node_hour out and watch the price instead."
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
  description = "Image of the nodes (self link, or `projects/P/global/images/I`). Not given: the newest image of `image_family` at the first apply, which then stays."
  type        = string
  default     = null
}

variable "image_project" {
  description = "Project of the image that is looked up."
  type        = string
  default     = "ubuntu-os-accelerator-images"
  nullable    = false
}

variable "image_family" {
  description = "Family of the image that is looked up; it has NVIDIA's driver. Not given: Ubuntu 24.04 for the architecture."
  type        = string
  default     = null
}

variable "service_account" {
  description = "E-mail of the service account that nodes run as, and that acts for `backstop`. Not given: nodes have none."
  type        = string
  default     = null

  validation {
    condition     = var.service_account == null || can(regex("^[^@ ]+@[^@ ]+$", var.service_account))
    error_message = "A service account is an e-mail such as nodes@my-project.iam.gserviceaccount.com."
  }
}

variable "disk_gib" {
  description = "Size of the boot disk in GiB, which Google Cloud always encrypts; at least that of the image."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.disk_gib >= 10 && var.disk_gib <= 65536 && floor(var.disk_gib) == var.disk_gib
    error_message = "A disk has a whole number of GiB from 10 to 65536."
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
  description = "Whether nodes are placed close to each other in one zone; the GPUs of A3 machines get network interfaces of their own."
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
