"""A GPU pool on each cloud, as Terraform text."""

HEAD = """
terraform {
  required_providers {
    aws          = { source = "hashicorp/aws", version = "~> 5.0" }
    tencentcloud = { source = "tencentcloudstack/tencentcloud", version = "~> 1.81" }
  }
}
provider "aws" {
  region = "us-east-1"
  default_tags { tags = { "managed-by" = "multicloud" } }
}
provider "tencentcloud" { region = "ap-guangzhou" }
variable "size" { default = 2 }
variable "user_data" { default = "IyEvYmluL3NoCg==" }
"""

AWS_POOL = """
data "aws_availability_zones" "all" {}
data "aws_ssm_parameter" "image" { name = "/aws/service/deeplearning/ami/x86_64/latest/ami-id" }
resource "aws_vpc" "net" { cidr_block = "10.0.0.0/16" }
resource "aws_subnet" "net" {
  vpc_id            = aws_vpc.net.id
  cidr_block        = "10.0.1.0/24"
  availability_zone = data.aws_availability_zones.all.names[0]
}
resource "aws_security_group" "nodes" {
  name_prefix = "train-"
  vpc_id      = aws_vpc.net.id
}
resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.nodes.id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}
resource "aws_launch_template" "node" {
  name                   = "train"
  image_id               = data.aws_ssm_parameter.image.value
  instance_type          = "p4d.24xlarge"
  user_data              = var.user_data
  vpc_security_group_ids = [aws_security_group.nodes.id]
  metadata_options { http_tokens = "required" }
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      encrypted   = true
      volume_size = 200
    }
  }
}
resource "aws_autoscaling_group" "pool" {
  name                = "train"
  min_size            = 0
  max_size            = 4
  desired_capacity    = var.size
  vpc_zone_identifier = [aws_subnet.net.id]
  mixed_instances_policy {
    instances_distribution {
      on_demand_base_capacity                  = 0
      on_demand_percentage_above_base_capacity = 0
      spot_max_price                           = "12.00"
    }
    launch_template {
      launch_template_specification {
        launch_template_id = aws_launch_template.node.id
        version            = aws_launch_template.node.latest_version
      }
      override { instance_type = "p4d.24xlarge" }
    }
  }
  tag {
    key                 = "pool"
    value               = "train"
    propagate_at_launch = true
  }
}
"""

TENCENT_POOL = """
data "tencentcloud_images" "gpu" { image_type = ["PUBLIC_IMAGE"] }
resource "tencentcloud_vpc" "net" {
  name       = "infer"
  cidr_block = "10.8.0.0/16"
}
resource "tencentcloud_subnet" "net" {
  name              = "infer"
  vpc_id            = tencentcloud_vpc.net.id
  cidr_block        = "10.8.1.0/24"
  availability_zone = "ap-guangzhou-6"
}
resource "tencentcloud_security_group" "nodes" { name = "infer" }
resource "tencentcloud_security_group_rule_set" "nodes" {
  security_group_id = tencentcloud_security_group.nodes.id
  egress {
    action     = "ACCEPT"
    cidr_block = "0.0.0.0/0"
  }
}
resource "tencentcloud_as_scaling_config" "node" {
  configuration_name   = "infer"
  image_id             = data.tencentcloud_images.gpu.images[0].image_id
  instance_types       = ["GN7.2XLARGE32"]
  instance_charge_type = "SPOTPAID"
  spot_instance_type   = "one-time"
  spot_max_price       = "0.70"
  security_group_ids   = [tencentcloud_security_group.nodes.id]
  data_disk { disk_size = 100 }
}
resource "tencentcloud_as_scaling_group" "pool" {
  scaling_group_name = "infer"
  configuration_id   = tencentcloud_as_scaling_config.node.id
  vpc_id             = tencentcloud_vpc.net.id
  subnet_ids         = [tencentcloud_subnet.net.id]
  min_size           = 0
  max_size           = 4
  desired_capacity   = var.size
}
"""

POOLS = HEAD + AWS_POOL + TENCENT_POOL
RESOURCES = 12
"""How many resources `POOLS` makes."""
