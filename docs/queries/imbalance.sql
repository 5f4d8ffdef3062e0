-- How different the ranks are, step by step: the largest and the smallest peak, and the first rank that has each. The peak of a rank
-- with several devices is that of its fullest one.
WITH levels AS (
    SELECT rank, step, live_bytes,
           -- What was live when the step began counts for its peak.
           coalesce(lag(live_bytes) OVER (PARTITION BY rank, device ORDER BY event), 0) AS live_before
    FROM events
),
peaks AS (
    SELECT rank, step, max(greatest(live_bytes, live_before)) AS peak
    FROM levels
    GROUP BY rank, step
),
ordered AS (
    SELECT rank, step, peak,
           row_number() OVER (PARTITION BY step ORDER BY peak DESC, rank) AS from_largest,
           row_number() OVER (PARTITION BY step ORDER BY peak, rank) AS from_smallest
    FROM peaks
)
SELECT step, max(peak) AS largest, max(CASE WHEN from_largest = 1 THEN rank END) AS largest_rank,
       min(peak) AS smallest, max(CASE WHEN from_smallest = 1 THEN rank END) AS smallest_rank,
       max(peak) - min(peak) AS difference
FROM ordered
GROUP BY step
ORDER BY difference DESC, step;
