-- The peak of each device: how many bytes were live and reserved, when the live bytes came there first, and in which step.
WITH ranked AS (
    SELECT rank, device, time_ns, step, live_bytes,
           max(reserved_bytes) OVER (PARTITION BY rank, device) AS peak_reserved,
           row_number() OVER (PARTITION BY rank, device ORDER BY live_bytes DESC, event) AS place
    FROM events
)
SELECT rank, device, live_bytes AS peak_live, peak_reserved, time_ns AS at_ns, step AS in_step
FROM ranked
WHERE place = 1
ORDER BY rank, device;
