# Figures that a folder's expected-measured.json states of a file, against what `trainplan replay --format json` says of it.
# usage: jq -n -f traces.jq --arg name FILE --slurpfile expected EXPECTED --slurpfile found REPLAY
# Prints {file, checked, wrong: [{what, found, expected}]}: a time may differ by 1 us or by a thousandth, a count by nothing.
def micro: . * 1e6;
def time($what; $found; $expected): {what: $what, found: $found, expected: $expected,
  good: ((($found - $expected) | fabs) <= ([1, (($expected | fabs) / 1000)] | max))};
def nanoseconds: . * 1e9 | round;
def parts: .compute_seconds + .communication_seconds + .memory_seconds + .idle_seconds - .overlaps_seconds;
def causes: .host_bound_seconds + .device_gap_seconds + .unexplained_seconds;
def count($what; $found; $expected): {what: $what, found: $found, expected: $expected, good: ($found == $expected)};

$expected[0].files[$name] as $e | $found[0] as $f |
[ count("events of devices"; [$f.streams[].events] | add; $e.gpu_events),
  count("steps"; $f.ranks | length; [$e.steps | length, 1] | max),
  ($e.streams | to_entries[] | (.key | split("/") | last | split(":") | last | tonumber) as $stream | .value as $s |
    ([$f.streams[] | select(.stream == $stream)][0] // {events: 0, busy_seconds: 0, sum_seconds: 0}) as $row |
    count("events of stream \($stream)"; $row.events; $s.events),
    time("busy time of stream \($stream)"; $row.busy_seconds | micro; $s.busy_us),
    time("sum of stream \($stream)"; $row.sum_seconds | micro; $s.sum_dur_us)),
  ($f.ranks[] |
    count("\(.step): the parts of the step, ns"; parts | nanoseconds; .measured_seconds | nanoseconds),
    count("\(.step): the causes of idle time, ns"; causes | nanoseconds; .idle_seconds | nanoseconds)),
  (range($e.steps | length) as $i | $e.steps[$i] as $s |
    # A device that runs behind its host: from the end of a step there to that of the next.
    if $f.ranks[$i].step_of == "host" then
      time("\($s.name): iteration"; $f.ranks[$i].measured_seconds | micro; $s.start_to_next_start_us // $s.cpu_span_us)
    elif $i > 0 then
      time("\($s.name): iteration"; $f.ranks[$i].measured_seconds | micro; $e.steps[$i - 1].gpu_end_to_next_end_us)
    else empty end),
  (range($e.steps | length) as $i | $e.steps[$i] as $s | $f.launched[$i] as $row |
    time("\($s.name): window"; $row.device_seconds | micro; $s.launched.window_us),
    time("\($s.name): busy"; $row.busy_seconds | micro; $s.launched.gpu_busy_us),
    time("\($s.name): computation"; $row.compute_seconds | micro; $s.launched.compute_busy_us),
    time("\($s.name): communication"; $row.communication_seconds | micro; $s.launched.comm_busy_us),
    time("\($s.name): copies"; $row.memory_seconds | micro; $s.launched.mem_busy_us),
    time("\($s.name): exposed"; $row.exposed_communication_seconds | micro; $s.launched.exposed_comm_us),
    (if $s.launched.comm_busy_us > 0 then
       time("\($s.name): overlap ratio, thousandths"; $row.overlap_ratio * 1000; $s.launched.comm_overlap_ratio * 1000)
     else empty end)) ]
| {file: $name, checked: length, wrong: map(select(.good | not) | del(.good))}
