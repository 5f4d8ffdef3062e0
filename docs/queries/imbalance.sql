-- How different the ranks are, step by step: the largest and the smallest peak, and which ranks have them.
WITH peaks AS (
    SELECT rank, step, max(live_bytes) AS peak
    FROM events
    GROUP BY rank, step
)
SELECT step, max(peak) AS largest, max_by(rank, peak) AS largest_rank,
       min(peak) AS smallest, min_by(rank, peak) AS smallest_rank,
       max(peak) - min(peak) AS difference
FROM peaks
GROUP BY step
ORDER BY difference DESC, step;
