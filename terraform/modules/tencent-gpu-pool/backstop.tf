# Empties the group at times of the week, should nobody run us. The API knows no "leave as it is" for
# the bounds, so the most nodes are 0 too, until the next apply sets both again.

locals {
  days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  # Times are UTC, the cloud's schedule is Beijing's: 8 hours on, in the evening a day on as well.
  # Days are numbers, 0 is Sunday.
  stops = [for stop in var.backstop : {
    name   = "${join("-", stop.days)}-${replace(stop.time, ":", "")}"
    hour   = (tonumber(split(":", stop.time)[0]) + 8) % 24
    minute = tonumber(split(":", stop.time)[1])
    days = [
      for day in distinct(stop.days) :
      (index(local.days, day) + (tonumber(split(":", stop.time)[0]) >= 16 ? 1 : 0)) % 7
    ]
  }]
  backstops = { for stop in local.stops : stop.name => stop... }

  # The next 8 days in Beijing. A schedule begins at a time to come that is one of its own: the API
  # refuses one that is over, and takes the first as a time to act, whatever it recurs at.
  today = timeadd(timestamp(), "8h")
  dates = [for ahead in range(8) : timeadd(local.today, "${ahead * 24}h")]
  starts = {
    for name, stops in local.backstops : name => [
      for date in local.dates : format(
        "%sT%02d:%02d:00+08:00", formatdate("YYYY-MM-DD", date), stops[0].hour, stops[0].minute
      ) if contains(stops[0].days, index(local.days, lower(formatdate("EEE", date))))
    ]
  }
}

resource "tencentcloud_as_schedule" "backstop" {
  for_each = local.backstops

  scaling_group_id     = tencentcloud_as_scaling_group.this.id
  schedule_action_name = "backstop-${local.place}-${each.key}"
  min_size             = 0
  max_size             = 0
  desired_capacity     = 0
  recurrence           = "${each.value[0].minute} ${each.value[0].hour} * * ${join(",", sort(each.value[0].days))}"

  # Ten minutes are more than an apply needs from here to there.
  start_time = [
    for start in local.starts[each.key] : start if timecmp(start, timeadd(timestamp(), "10m")) > 0
  ][0]

  # The API takes a recurrence only with an end.
  end_time = "2099-12-31T23:59:59+08:00"

  # It is counted from the moment of the first apply, and says nothing afterwards. Another time of
  # the week is another schedule.
  lifecycle {
    ignore_changes = [start_time]
  }
}
