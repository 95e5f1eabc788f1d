# What a pool is made of. No cloud is asked: the provider is a mock.

mock_provider "google-beta" {}

variables {
  policy_name   = "daynight"
  pool_name     = "Training"
  region        = "us-central1"
  zones         = ["us-central1-a"]
  instance_type = "v5litepod-8"
  gpu           = { type = "TPU-v5e", count = 8 }
  capacity_type = "on_demand"
  desired_count = 2
  labels        = { team = "research" }
}

run "two_slices" {
  command = plan

  assert {
    condition     = sort(keys(google_tpu_v2_vm.node)) == tolist(["000", "001"])
    error_message = "Each slice is a resource with a number."
  }

  assert {
    condition     = google_tpu_v2_vm.node["000"].accelerator_type == "v5litepod-8" && google_tpu_v2_vm.node["000"].runtime_version == "v2-alpha-tpuv5-lite" && google_tpu_v2_vm.node["000"].zone == "us-central1-a"
    error_message = "A slice is of the type asked for, with its generation's software, in the zone."
  }

  assert {
    condition     = google_tpu_v2_vm.node["001"].labels.pool == "training" && google_tpu_v2_vm.node["001"].metadata["multicloud-pool"] == "Training" && google_tpu_v2_vm.node["001"].labels["managed-by"] == "multicloud"
    error_message = "Labels are lower case, the metadata has names as they are written."
  }

  assert {
    condition     = google_tpu_v2_vm.node["000"].network_config[0].enable_external_ips == false && length(google_compute_network.this) == 1 && length(google_compute_firewall.port) == 0
    error_message = "A private network is made, and nothing is open."
  }

  assert {
    condition     = output.desired_count == 2 && output.instance_type == "v5litepod-8" && output.capacity_type == "on_demand"
    error_message = "Outputs say what was asked for."
  }
}

run "none" {
  command = plan

  variables {
    desired_count = 0
  }

  assert {
    condition     = length(google_tpu_v2_vm.node) == 0 && length(google_compute_network.this) == 1
    error_message = "A size of 0 keeps the network."
  }
}

run "v5p_with_all_that_can_be_given" {
  command = plan

  variables {
    zones           = ["us-central1-a"]
    instance_type   = "v5p-8"
    network_id      = "projects/p/global/networks/n"
    subnet_ids      = ["projects/p/regions/us-central1/subnetworks/s"]
    service_account = "nodes@p.iam.gserviceaccount.com"
    ssh_public_key  = "ssh-ed25519 AAAA x"
    startup_base64  = "dHJ1ZQ=="
    public_ip       = true
    ports           = [8888, 22]
  }

  assert {
    condition     = google_tpu_v2_vm.node["000"].runtime_version == "v2-alpha-tpuv5" && google_tpu_v2_vm.node["000"].metadata["startup-script"] == "true" && google_tpu_v2_vm.node["000"].metadata["ssh-keys"] == "multicloud:ssh-ed25519 AAAA x"
    error_message = "v5p has its own software; script and key are in the metadata."
  }

  assert {
    condition     = length(google_compute_network.this) == 0 && google_tpu_v2_vm.node["000"].network_config[0].subnetwork == "projects/p/regions/us-central1/subnetworks/s" && google_tpu_v2_vm.node["000"].service_account[0].email == "nodes@p.iam.gserviceaccount.com"
    error_message = "A given network and account are used."
  }

  assert {
    condition     = length(google_compute_firewall.port) == 1 && google_compute_firewall.port[0].target_tags == toset(["daynight-training-${google_tpu_v2_vm.node["000"].labels.place}"])
    error_message = "Ports are opened."
  }
}

run "software_of_your_own" {
  command = plan

  variables {
    image_id = "tpu-ubuntu2204-base"
  }

  assert {
    condition     = google_tpu_v2_vm.node["000"].runtime_version == "tpu-ubuntu2204-base"
    error_message = "image_id is the runtime version."
  }
}
