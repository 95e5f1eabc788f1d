# Empties the group at times of the week, should nobody run us.

locals {
  # In the cloud's cron Monday is day 1 and Sunday day 7, and times are UTC.
  days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  backstops = { for stop in var.backstop : "${join("-", stop.days)}-${replace(stop.time, ":", "")}" => stop... }

  # The times to come of the next 8 days. A task begins at one of its own times: the API refuses a
  # beginning that is over, and the task may act at it whatever it recurs at. Ten minutes are more
  # than an apply needs from here to there.
  dates = [for ahead in range(8) : timeadd(timestamp(), "${ahead * 24}h")]
  starts = {
    for key, stops in local.backstops : key => [
      for date in local.dates : formatdate("YYYY-MM-DD", date)
      if contains(stops[0].days, lower(formatdate("EEE", date))) && timecmp(
        "${formatdate("YYYY-MM-DD", date)}T${stops[0].time}:00Z", timeadd(timestamp(), "10m")
      ) > 0
    ]
  }

  # A task that recurs must end within 365 days. It ends 364 days after the first day of the quarter
  # in which Terraform last looked, so that the text is the same for a quarter and the end moves on.
  quarter = floor((tonumber(formatdate("M", plantimestamp())) - 1) / 3) * 3 + 1
  ends    = timeadd(format("%s-%02d-01T00:00:00Z", formatdate("YYYY", plantimestamp()), local.quarter), "8736h")
}

resource "alicloud_ess_scheduled_task" "backstop" {
  for_each = local.backstops

  # At most 40 characters, of which there is one in the region.
  scheduled_task_name = "backstop-${local.place}-${substr(sha256("${local.name}|${each.key}"), 0, 16)}"
  description         = "Empties GPU pool ${var.pool_name} should nobody else do it."
  scaling_group_id    = alicloud_ess_scaling_group.this.id
  desired_capacity    = local.expects ? 0 : null
  min_value           = local.expects ? null : 0
  max_value           = local.expects ? null : 0
  launch_time         = "${local.starts[each.key][0]}T${each.value[0].time}Z"
  recurrence_type     = "Cron"
  recurrence_value = format(
    "%d %d ? * %s",
    tonumber(split(":", each.value[0].time)[1]),
    tonumber(split(":", each.value[0].time)[0]),
    join(",", sort([for day in distinct(each.value[0].days) : tostring(index(local.days, day) + 1)])),
  )
  recurrence_end_time = formatdate("YYYY-MM-DD'T'hh:mm'Z'", local.ends)
  task_enabled        = true

  # It is counted from the moment of the first apply, and says nothing afterwards. Another time of
  # the week is another task.
  lifecycle {
    ignore_changes = [launch_time]
  }

  # Gone before the group is: the configuration takes the group with it.
  depends_on = [alicloud_ess_scaling_configuration.this]
}
