# What a pool is made of. No cloud is asked: the provider is a mock.

mock_provider "google" {
  mock_data "google_compute_zones" {
    defaults = { names = ["us-central1-b", "us-central1-a", "us-central1-c"] }
  }

  mock_data "google_compute_image" {
    defaults = { self_link = "https://www.googleapis.com/compute/v1/projects/p/global/images/gpu-1" }
  }

  mock_resource "google_compute_region_instance_group_manager" {
    defaults = { self_link = "https://www.googleapis.com/compute/v1/projects/p/regions/us-central1/instanceGroupManagers/g" }
  }
}

variables {
  policy_name   = "daynight"
  pool_name     = "Training"
  region        = "us-central1"
  zones         = ["us-central1-b", "us-central1-a"]
  instance_type = "a2-highgpu-8g"
  gpu           = { type = "A100-40GB", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "on_demand_in_several_zones" {
  command = plan

  assert {
    condition     = length(google_compute_instance_group_manager.zonal) == 0 && google_compute_region_instance_group_manager.regional[0].distribution_policy_zones == toset(["us-central1-a", "us-central1-b"])
    error_message = "Several zones make a regional group."
  }

  assert {
    condition     = google_compute_region_instance_group_manager.regional[0].target_size == 2 && google_compute_region_instance_group_manager.regional[0].wait_for_instances == false
    error_message = "The group has the size asked for, and Terraform does not wait for nodes."
  }

  assert {
    condition     = google_compute_region_instance_group_manager.regional[0].distribution_policy_target_shape == "BALANCED" && google_compute_region_instance_group_manager.regional[0].update_policy[0].instance_redistribution_type == "NONE"
    error_message = "Nodes are spread where there is stock, and those that work stay."
  }

  assert {
    condition     = output.instance_type == "a2-highgpu-8g" && output.capacity_type == "on_demand" && output.desired_count == 2
    error_message = "Outputs say what was asked for."
  }
}

run "b91_on_demand_fields" {
  command = plan

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].provisioning_model == "STANDARD" && google_compute_instance_template.this.scheduling[0].preemptible == false && google_compute_instance_template.this.scheduling[0].automatic_restart == true
    error_message = "On-demand nodes are standard ones."
  }

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].instance_termination_action == null || google_compute_instance_template.this.scheduling[0].instance_termination_action == ""
    error_message = "Only spot nodes have an action at their end."
  }
}

run "b91_spot_fields" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].provisioning_model == "SPOT" && google_compute_instance_template.this.scheduling[0].preemptible == true && google_compute_instance_template.this.scheduling[0].automatic_restart == false && google_compute_instance_template.this.scheduling[0].instance_termination_action == "DELETE"
    error_message = "All of a spot node's fields go together."
  }
}

run "b93_gpus_cannot_migrate" {
  command = plan

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].on_host_maintenance == "TERMINATE" && length(google_compute_instance_template.this.guest_accelerator) == 0
    error_message = "A2 machines come with their GPUs, which cannot move."
  }
}

run "b93_attached_gpus" {
  command = plan

  variables {
    instance_type = "n1-standard-16"
    gpu           = { type = "T4", count = 2 }
  }

  assert {
    condition     = google_compute_instance_template.this.guest_accelerator[0].type == "nvidia-tesla-t4" && google_compute_instance_template.this.guest_accelerator[0].count == 2
    error_message = "N1 machines get theirs attached."
  }

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].on_host_maintenance == "TERMINATE"
    error_message = "Those cannot move either."
  }
}

run "b95_template_before_group" {
  command = plan

  assert {
    condition     = google_compute_instance_template.this.name_prefix == "daynight-training-${local.place}-"
    error_message = "A template has no fixed name, so that a new one can come before the old goes."
  }
}

run "b98_numbers_of_a_regional_group" {
  command = plan

  variables {
    zones = ["us-central1-a", "us-central1-b", "us-central1-c"]
  }

  assert {
    condition     = google_compute_region_instance_group_manager.regional[0].update_policy[0].max_surge_fixed == 0 && google_compute_region_instance_group_manager.regional[0].update_policy[0].max_unavailable_fixed == 3
    error_message = "Both are 0 or at least the number of zones."
  }
}

run "one_zone" {
  command = plan

  variables {
    zones = ["us-central1-a"]
  }

  assert {
    condition     = length(google_compute_region_instance_group_manager.regional) == 0 && google_compute_instance_group_manager.zonal[0].zone == "us-central1-a" && google_compute_instance_group_manager.zonal[0].target_size == 2
    error_message = "One zone makes a zonal group."
  }
}

run "every_zone_of_the_region" {
  command = plan

  variables {
    zones = []
  }

  assert {
    condition     = google_compute_region_instance_group_manager.regional[0].distribution_policy_zones == toset(["us-central1-a", "us-central1-b", "us-central1-c"])
    error_message = "Without zones the group spans all that are up."
  }
}

run "size_zero_is_a_size" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = google_compute_region_instance_group_manager.regional[0].target_size == 0
    error_message = "0 must be planned as 0."
  }
}

run "external" {
  command = plan

  variables {
    autoscaler    = "external"
    desired_count = null
    max_count     = 4
  }

  assert {
    condition     = length([for one in google_compute_region_instance_group_manager.regional : one]) == 1
    error_message = "The group is made, its size is left to others."
  }
}

run "reserved" {
  command = plan

  variables {
    capacity_type  = "reserved"
    reservation_id = "mine"
  }

  assert {
    condition     = google_compute_instance_template.this.reservation_affinity[0].type == "SPECIFIC_RESERVATION" && google_compute_instance_template.this.reservation_affinity[0].specific_reservation[0].values == tolist(["mine"])
    error_message = "Nodes come out of the reservation named."
  }

  assert {
    condition     = google_compute_instance_template.this.scheduling[0].provisioning_model == "STANDARD"
    error_message = "They are no spot nodes."
  }
}

run "close_to_each_other" {
  command = plan

  variables {
    zones           = ["us-central1-a"]
    cluster_network = true
  }

  assert {
    condition = (
      google_compute_resource_policy.close[0].group_placement_policy[0].collocation == "COLLOCATED" &&
      length(google_compute_resource_policy.close[0].workload_policy) == 0 &&
      length(google_compute_instance_group_manager.zonal[0].resource_policies) == 0
    )
    error_message = "Nodes of a machine for everything are placed compactly."
  }

  assert {
    condition     = length(google_compute_network.gpu) == 0 && length(google_compute_instance_template.this.network_interface) == 1
    error_message = "Its GPUs have no interfaces of their own."
  }
}

run "a_machine_for_clusters" {
  command = plan

  variables {
    zones           = ["us-central1-a"]
    instance_type   = "a3-megagpu-8g"
    gpu             = { type = "H100-SXM5", count = 8 }
    cluster_network = true
  }

  assert {
    condition = (
      google_compute_resource_policy.close[0].workload_policy[0].type == "HIGH_THROUGHPUT" &&
      length(google_compute_resource_policy.close[0].group_placement_policy) == 0 &&
      length(google_compute_instance_group_manager.zonal[0].resource_policies) == 1 &&
      google_compute_instance_template.this.resource_policies == null
    )
    error_message = "The group has a workload policy, its nodes no policy beside it."
  }

  assert {
    condition     = length(google_compute_instance_template.this.network_interface) == 9 && length(google_compute_firewall.gpu) == 8
    error_message = "One interface of the node, and eight of its GPUs."
  }

  assert {
    condition     = length(toset(google_compute_subnetwork.gpu[*].ip_cidr_range)) == 8 && alltrue([for network in google_compute_network.gpu : network.mtu == 8244])
    error_message = "Each in a network of its own, with long packets."
  }
}

run "a_machine_for_clusters_by_itself" {
  command = plan

  variables {
    zones         = ["us-central1-a"]
    instance_type = "a3-megagpu-8g"
    gpu           = { type = "H100-SXM5", count = 8 }
  }

  assert {
    condition     = length(google_compute_resource_policy.close) == 0 && length(google_compute_instance_template.this.network_interface) == 1
    error_message = "Nobody asked for a cluster."
  }
}

run "backstop" {
  command = plan

  variables {
    service_account = "nodes@p.iam.gserviceaccount.com"
    backstop        = [{ days = ["mon", "tue"], time = "22:05" }]
  }

  assert {
    condition     = google_cloud_scheduler_job.backstop["0"].schedule == "5 22 * * MON,TUE" && google_cloud_scheduler_job.backstop["0"].time_zone == "Etc/UTC"
    error_message = "The schedule is in UTC."
  }
}

run "labels_and_names" {
  command = plan

  assert {
    condition     = google_compute_instance_template.this.labels == tomap({ team = "research", managed-by = "multicloud", policy = "daynight", pool = "training", place = local.place })
    error_message = "Nodes say whose they are, in lower case."
  }

  assert {
    condition     = google_compute_instance_template.this.metadata["multicloud-pool"] == "Training"
    error_message = "The metadata has the name as it is written."
  }

  assert {
    condition     = local.place == substr(sha256("gcp|us-central1|us-central1-a,us-central1-b|a2-highgpu-8g|on_demand"), 0, 8)
    error_message = "A place that is not given is computed from what it is."
  }
}

run "names_of_every_kind" {
  command = plan

  variables {
    policy_name = "3 d.Films"
    pool_name   = "a_very_long_name_of_a_pool_that_has_no_room_in_a_name_of_this_cloud"
  }

  assert {
    condition     = can(regex("^[a-z][a-z0-9-]{1,56}[a-z0-9]$", local.name)) && endswith(local.name, "-${local.place}")
    error_message = "A name fits the cloud's grammar, whatever it is made of."
  }

  assert {
    condition = (
      google_compute_instance_template.this.labels["policy"] == "3-d-films" &&
      length(google_compute_instance_template.this.labels["pool"]) == 63 &&
      google_compute_instance_template.this.metadata["multicloud-policy"] == "3 d.Films"
    )
    error_message = "Labels fit too, and the metadata has what was written."
  }
}

run "node_is_closed" {
  command = plan

  assert {
    condition     = length(google_compute_instance_template.this.network_interface[0].access_config) == 0
    error_message = "No public address by default."
  }

  assert {
    condition     = length(google_compute_firewall.port) == 0 && google_compute_firewall.pool.source_tags == toset([local.name])
    error_message = "Only nodes of the pool reach each other."
  }

  assert {
    condition     = google_compute_instance_template.this.metadata["enable-oslogin"] == "TRUE" && google_compute_instance_template.this.metadata["block-project-ssh-keys"] == "TRUE"
    error_message = "Keys of the project do not let anybody in."
  }

  assert {
    condition     = length(google_compute_instance_template.this.service_account) == 0
    error_message = "Nodes have no rights."
  }
}

run "public_node_with_a_key_and_a_script" {
  command = plan

  variables {
    public_ip      = true
    ports          = [8888, 22]
    ssh_public_key = "ssh-ed25519 AAAA test"
    startup_base64 = "IyEvYmluL3NoCg=="
  }

  assert {
    condition     = length(google_compute_instance_template.this.network_interface[0].access_config) == 1
    error_message = "A public address when asked for."
  }

  assert {
    condition     = length(google_compute_firewall.port[0].allow) == 1
    error_message = "The ports asked for are open."
  }

  assert {
    condition     = google_compute_instance_template.this.metadata["ssh-keys"] == "multicloud:ssh-ed25519 AAAA test" && google_compute_instance_template.this.metadata["startup-script"] == "#!/bin/sh\n"
    error_message = "Key and script are in the metadata."
  }
}

run "given_network" {
  command = plan

  variables {
    network_id = "net-1"
    subnet_ids = ["subnet-1"]
  }

  assert {
    condition     = length(google_compute_network.this) == 0 && google_compute_instance_template.this.network_interface[0].subnetwork == "subnet-1" && google_compute_firewall.pool.network == "net-1"
    error_message = "Nothing is made that was given."
  }
}

run "newest_driver_for_the_architecture" {
  command = plan

  assert {
    condition     = data.google_compute_image.gpu[0].family == "ubuntu-accelerator-2404-amd64-with-nvidia-580" && data.google_compute_image.gpu[0].project == "ubuntu-os-accelerator-images"
    error_message = "The image has the driver."
  }
}

run "old_gpus_have_an_image_of_their_own" {
  command = plan

  variables {
    instance_type = "n1-standard-8"
    gpu           = { type = "V100-16GB", count = 1 }
    image_project = "my-project"
    image_family  = "volta"
  }

  assert {
    condition     = google_compute_instance_template.this.guest_accelerator[0].type == "nvidia-tesla-v100" && data.google_compute_image.gpu[0].family == "volta"
    error_message = "With another family there is nothing to refuse."
  }
}

run "given_image" {
  command = plan

  variables {
    image_id = "projects/p/global/images/mine"
  }

  assert {
    condition     = google_compute_instance_template.this.disk[0].source_image == "projects/p/global/images/mine" && length(data.google_compute_image.gpu) == 0
    error_message = "An image that was given is not looked up."
  }
}
