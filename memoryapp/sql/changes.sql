-- Everything that began, changed, ended, ran out or was forgotten: how many lines each month has,
-- and one page of them, from a single reading of the memories. A month's row has its count, a
-- line's has none. A row replaced as wrong has no line of its own: it stands with what took its
-- place.
WITH area AS (
    SELECT f.id, f.status, f.supersession, f.superseded_by_id, f.valid_from, f.valid_to,
        f.precision, f.recorded_at, f.closed_at, f.retired_at, f.expires_at,
        -- A column rather than a condition, so that it is looked up in a hash: few memories took
        -- another's place, and only those are worth a window.
        f.id IN (
            SELECT r.superseded_by_id FROM memoryapp_fact r
            WHERE r.user_id = %(user_id)s AND r.superseded_by_id IS NOT NULL
        ) AS replaces,
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
-- Each such row behind those that it replaced, for a window to look back from it: a join of the two
-- would be quick only where the planner guesses well.
told AS (
    SELECT id AS heir, TRUE AS own, id, valid_from, precision, recorded_at, supersession,
        wanted AND retired_at IS NULL AS wanted
    FROM area
    WHERE replaces
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
    SELECT a.id AS fact_id, NULL::uuid AS before_id, 'new' AS kind, a.valid_from AS at,
        a.precision, a.recorded_at AS learned_at, 0 AS facts
    FROM area a
    WHERE a.wanted AND a.retired_at IS NULL AND NOT a.replaces
    UNION ALL
    SELECT b.id, b.before_id,
        CASE
            WHEN b.before_id IS NULL THEN 'new'
            WHEN b.how = 'correction' THEN 'corrected'
            ELSE 'changed'
        END,
        b.valid_from, b.precision, b.recorded_at, 0
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
placed AS MATERIALIZED (
    -- Where a line stands: at its month's first day; the day before the year's first when only
    -- the year is known, and so behind the year's months.
    SELECT line.*,
        CASE
            WHEN precision = 'year'
                THEN date_trunc('year', stands AT TIME ZONE %(zone)s) - interval '1 day'
            ELSE date_trunc('month', stands AT TIME ZONE %(zone)s)
        END AS place
    FROM line
),
months AS MATERIALIZED (SELECT place, count(*) AS n FROM placed GROUP BY place),
page AS (
    SELECT *
    FROM placed
    ORDER BY place DESC, stands DESC, learned_at DESC, fact_id DESC, kind
    LIMIT %(size)s
    -- The last page for one behind it.
    OFFSET least(
        %(first)s,
        (SELECT greatest(coalesce(sum(n), 0)::bigint - 1, 0) / %(size)s * %(size)s FROM months)
    )
),
shown AS (
    SELECT n, NULL::uuid AS fact_id, NULL::uuid AS before_id, NULL AS kind, NULL::int AS facts,
        NULL::timestamptz AS at, NULL::timestamptz AS learned_at, NULL AS precision,
        NULL::timestamptz AS stands, place
    FROM months
    UNION ALL
    SELECT NULL, fact_id, before_id, kind, facts, at, learned_at, precision, stands, place
    FROM page
)
SELECT n, fact_id, before_id, kind, facts, at, learned_at, precision,
    extract(year FROM place + interval '1 day')::int AS year,
    CASE WHEN extract(day FROM place) > 1 THEN 0 ELSE extract(month FROM place)::int END AS month
FROM shown
ORDER BY place DESC, stands DESC, learned_at DESC, fact_id DESC, kind
