# What is refused, each with the fix in the message.

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

run "name" {
  command = plan

  variables {
    name = "X"
  }

  expect_failures = [var.name]
}

run "place" {
  command = plan

  variables {
    place = "zz"
  }

  expect_failures = [var.place]
}

run "region" {
  command = plan

  variables {
    region = "us"
  }

  expect_failures = [var.region]
}

run "no_zone" {
  command = plan

  variables {
    zones = []
  }

  expect_failures = [var.zones]
}

run "instance_type" {
  command = plan

  variables {
    instance_type = "a2-highgpu-8g"
  }

  expect_failures = [var.instance_type]
}

run "gpu" {
  command = plan

  variables {
    gpu = { type = "TPU-v5e", count = 0 }
  }

  expect_failures = [var.gpu]
}

run "architecture" {
  command = plan

  variables {
    architecture = "arm64"
  }

  expect_failures = [var.architecture]
}

run "spot" {
  command = plan

  variables {
    capacity_type = "spot"
  }

  expect_failures = [var.capacity_type]
}

run "reservation" {
  command = plan

  variables {
    reservation_id = "r"
  }

  expect_failures = [var.reservation_id]
}

run "capacity_block" {
  command = plan

  variables {
    reservation_kind = "capacity_block"
  }

  expect_failures = [var.reservation_kind]
}

run "external" {
  command = plan

  variables {
    autoscaler = "external"
  }

  expect_failures = [var.autoscaler]
}

run "half_a_node" {
  command = plan

  variables {
    desired_count = 0.5
  }

  expect_failures = [var.desired_count]
}

run "least" {
  command = plan

  variables {
    min_count = 1
  }

  expect_failures = [var.min_count]
}

run "half_of_most" {
  command = plan

  variables {
    max_count = 2.5
  }

  expect_failures = [var.max_count]
}

run "cap" {
  command = plan

  variables {
    max_price_per_node_hour = "1"
  }

  expect_failures = [var.max_price_per_node_hour]
}

run "own_label" {
  command = plan

  variables {
    labels = { Pool = "x" }
  }

  expect_failures = [var.labels]
}

run "bad_label" {
  command = plan

  variables {
    labels = { team = "A B" }
  }

  expect_failures = [var.labels]
}

run "addresses" {
  command = plan

  variables {
    network_cidr = "10.0.0.0/8"
  }

  expect_failures = [var.network_cidr]
}

run "account" {
  command = plan

  variables {
    service_account = "x"
  }

  expect_failures = [var.service_account]
}

run "disk" {
  command = plan

  variables {
    disk_gib = 200
  }

  expect_failures = [var.disk_gib]
}

run "script" {
  command = plan

  variables {
    startup_base64 = "%"
  }

  expect_failures = [var.startup_base64]
}

run "key" {
  command = plan

  variables {
    key_id = "k"
  }

  expect_failures = [var.key_id]
}

run "port" {
  command = plan

  variables {
    ports = [0]
  }

  expect_failures = [var.ports]
}

run "source" {
  command = plan

  variables {
    port_sources = ["x"]
  }

  expect_failures = [var.port_sources]
}

run "cluster" {
  command = plan

  variables {
    cluster_network = true
  }

  expect_failures = [var.cluster_network]
}

run "backstop" {
  command = plan

  variables {
    backstop = [{ days = ["mon"], time = "22:00" }]
  }

  expect_failures = [var.backstop]
}

run "no_size" {
  command = plan

  variables {
    desired_count = null
  }

  expect_failures = [terraform_data.asked]
}

run "most_below" {
  command = plan

  variables {
    max_count = 1
  }

  expect_failures = [terraform_data.asked]
}

run "too_many" {
  command = plan

  variables {
    desired_count = 1000
  }

  expect_failures = [terraform_data.asked]
}

run "zone_elsewhere" {
  command = plan

  variables {
    zones = ["us-east1-b"]
  }

  expect_failures = [terraform_data.asked]
}

run "subnet_without_network" {
  command = plan

  variables {
    subnet_ids = ["s"]
  }

  expect_failures = [terraform_data.asked]
}
