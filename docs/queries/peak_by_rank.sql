-- The peak of each device: how many bytes were live and reserved, when, in which step.
SELECT rank, device, max(live_bytes) AS peak_live, max(reserved_bytes) AS peak_reserved,
       max_by(time_ns, live_bytes) AS at_ns, max_by(step, live_bytes) AS in_step
FROM events
GROUP BY rank, device
ORDER BY rank, device;
