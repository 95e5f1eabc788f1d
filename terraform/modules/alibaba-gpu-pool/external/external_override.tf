# For a pool whose size somebody else decides: without it every plan would unset the size.
# Copy this file beside main.tf; it changes nothing but what is ignored.

resource "alicloud_ess_scaling_group" "this" {
  lifecycle {
    ignore_changes = [desired_capacity]
  }
}
