-- What each step leaves behind: live bytes at its end, and the difference from the step before. A leak grows every step.
WITH levels AS (
    SELECT rank, device, step, live_bytes,
           -- What was live when the step began counts for its peak.
           coalesce(lag(live_bytes) OVER (PARTITION BY rank, device ORDER BY event), 0) AS live_before,
           row_number() OVER (PARTITION BY rank, device, step ORDER BY event DESC) AS from_end
    FROM events
),
steps AS (
    SELECT rank, device, step, max(greatest(live_bytes, live_before)) AS peak,
           max(CASE WHEN from_end = 1 THEN live_bytes END) AS live_at_end
    FROM levels
    GROUP BY rank, device, step
)
SELECT rank, device, step, peak, live_at_end,
       live_at_end - lag(live_at_end) OVER (PARTITION BY rank, device ORDER BY step) AS growth
FROM steps
ORDER BY rank, device, step;
