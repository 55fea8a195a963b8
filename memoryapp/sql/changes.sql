-- Everything that began, changed, ended, ran out or was forgotten: the timeline's common part.
-- A row replaced as wrong has no line of its own: it stands with what took its place.
WITH area AS (
    SELECT f.id, f.status, f.supersession, f.superseded_by_id, f.valid_from, f.valid_to,
        f.precision, f.recorded_at, f.closed_at, f.retired_at, f.expires_at,
        (
            %(area)s = ''
            OR (%(area)s = 'people' AND f.subject <> 'user')
            OR (
                f.subject = 'user'
                AND (
                    f.attribute = ANY (%(attributes)s::text[])
                    OR (f.kind = ANY (%(kinds)s::text[]) AND f.attribute <> ALL (%(known)s::text[]))
                )
            )
        ) AS wanted
    FROM memoryapp_fact f
    WHERE f.user_id = %(user_id)s AND f.operation = 'state'
        AND f.status NOT IN ('pending', 'rejected')
),
-- Each row behind those that it replaced, for a window to look back from it: a join of the two
-- would be quick only where the planner guesses well.
told AS (
    SELECT id AS heir, TRUE AS own, id, valid_from, precision, recorded_at, supersession,
        wanted AND retired_at IS NULL AS wanted
    FROM area
    UNION ALL
    SELECT superseded_by_id, FALSE, id, valid_from, precision, recorded_at, supersession, FALSE
    FROM area
    WHERE superseded_by_id IS NOT NULL
),
begun AS (
    SELECT told.*, lag(id) OVER behind AS before_id, lag(supersession) OVER behind AS how
    FROM told
    WINDOW behind AS (PARTITION BY heir ORDER BY own, valid_from, id)
),
change AS (
    SELECT b.id AS fact_id, b.before_id,
        CASE
            WHEN b.before_id IS NULL THEN 'new'
            WHEN b.how = 'correction' THEN 'corrected'
            ELSE 'changed'
        END AS kind,
        b.valid_from AS at, b.precision, b.recorded_at AS learned_at, 0 AS facts
    FROM begun b
    WHERE b.own AND b.wanted
    UNION ALL
    SELECT a.id, NULL, 'ended', coalesce(a.valid_to, a.retired_at, a.recorded_at), a.precision,
        coalesce(a.retired_at, a.closed_at, a.recorded_at), 0
    FROM area a
    WHERE a.wanted AND a.status = 'retracted' AND a.superseded_by_id IS NULL
    UNION ALL
    SELECT a.id, NULL, 'expired', least(a.valid_to, a.expires_at), 'day',
        least(a.valid_to, a.expires_at), 0
    FROM area a
    WHERE a.wanted AND a.status = 'expired' AND least(a.valid_to, a.expires_at) IS NOT NULL
    UNION ALL
    SELECT e.id, NULL, 'forgotten', e.completed_at, 'instant', e.completed_at,
        (e.counts ->> 'facts')::int
    FROM memoryapp_erasurereceipt e
    WHERE %(area)s = '' AND e.user_id = %(user_id)s AND (e.counts ->> 'facts')::int > 0
),
line AS (
    SELECT fact_id, before_id, kind, facts, at, learned_at,
        CASE WHEN %(learned)s THEN 'instant' ELSE precision END AS precision,
        CASE WHEN %(learned)s THEN learned_at ELSE at END AS stands
    FROM change
    WHERE %(kind)s IN ('', kind)
),
placed AS (
    SELECT line.*, extract(year FROM stands AT TIME ZONE %(zone)s)::int AS year,
        CASE
            WHEN precision = 'year' THEN 0
            ELSE extract(month FROM stands AT TIME ZONE %(zone)s)::int
        END AS month
    FROM line
)
