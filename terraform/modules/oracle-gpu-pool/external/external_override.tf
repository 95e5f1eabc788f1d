# For a pool whose size somebody else decides: without it the next apply would take the size back.
# Copy this file beside main.tf; it changes nothing but what is ignored.

resource "oci_core_instance_pool" "this" {
  lifecycle {
    ignore_changes = [size]
  }
}
