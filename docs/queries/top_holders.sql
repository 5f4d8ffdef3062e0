-- Who holds the memory at the peak of each device: bytes by source line, the largest first.
WITH peaks AS (
    SELECT rank, device, max_by(time_ns, live_bytes) AS at_ns
    FROM events
    GROUP BY rank, device
),
blocks AS (
    SELECT rank, device, time_ns, kind, address, bytes, site,
           lead(time_ns) OVER (PARTITION BY rank, device, address ORDER BY time_ns, kind) AS freed_ns
    FROM events
    WHERE kind IN ('alloc', 'free_requested')
)
SELECT blocks.rank, blocks.device, site, sum(bytes) AS bytes, count(*) AS blocks
FROM blocks JOIN peaks ON blocks.rank = peaks.rank AND blocks.device = peaks.device
WHERE kind = 'alloc' AND time_ns <= at_ns AND (freed_ns IS NULL OR freed_ns > at_ns)
GROUP BY blocks.rank, blocks.device, site
ORDER BY blocks.rank, blocks.device, bytes DESC
LIMIT 20;
