-- Who holds the memory at the peak of each device: bytes by source line, the 20 largest of each device.
WITH ranked AS (
    SELECT rank, device, event,
           row_number() OVER (PARTITION BY rank, device ORDER BY live_bytes DESC, event) AS place
    FROM events
),
peaks AS (
    SELECT rank, device, event AS at_event FROM ranked WHERE place = 1
),
blocks AS (
    SELECT rank, device, event, kind, bytes, owner,
           lead(event) OVER (PARTITION BY rank, device, address ORDER BY event) AS freed_event
    FROM events
    WHERE kind IN ('alloc', 'free_requested')
),
sums AS (
    SELECT blocks.rank, blocks.device, owner, sum(bytes) AS bytes, count(*) AS blocks
    FROM blocks JOIN peaks ON blocks.rank = peaks.rank AND blocks.device = peaks.device
    WHERE kind = 'alloc' AND event <= at_event AND (freed_event IS NULL OR freed_event > at_event)
    GROUP BY blocks.rank, blocks.device, owner
),
ordered AS (
    SELECT rank, device, owner, bytes, blocks,
           row_number() OVER (PARTITION BY rank, device ORDER BY bytes DESC, owner) AS place
    FROM sums
)
SELECT rank, device, owner, bytes, blocks
FROM ordered
WHERE place <= 20
ORDER BY rank, device, place;
