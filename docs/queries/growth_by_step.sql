-- What each step leaves behind: live bytes at its end, and the difference from the step before. A leak grows every step.
WITH ends AS (
    SELECT rank, device, step, max_by(live_bytes, time_ns) AS live_at_end, max(live_bytes) AS peak
    FROM events
    GROUP BY rank, device, step
)
SELECT rank, device, step, peak, live_at_end,
       live_at_end - lag(live_at_end) OVER (PARTITION BY rank, device ORDER BY step) AS growth
FROM ends
ORDER BY rank, device, step;
