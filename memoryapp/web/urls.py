"""The page's addresses: ids and page numbers only, never a word of the user's."""

from __future__ import annotations

from django.urls import include, path

from memoryapp.web.views.activity import activity, activity_check, activity_download
from memoryapp.web.views.conversations import conversation, conversations
from memoryapp.web.views.exports import export_json, export_page, export_schema, exports
from memoryapp.web.views.facts import fact, fact_edit
from memoryapp.web.views.imports import (
    import_forget,
    import_one,
    import_start,
    import_status,
    imports,
)
from memoryapp.web.views.learned import learned, learned_undo, live, news
from memoryapp.web.views.memories import example, memories, memories_status, search
from memoryapp.web.views.people import people, person, person_name, person_part, person_same
from memoryapp.web.views.timeline import figures, timeline
from memoryapp.web.views.try_it import try_it, try_learned, try_undo
from memoryapp.web.views.undo import undo

urlpatterns = [
    path("", memories, name="memories"),
    path("search/", search, name="search"),
    path("status/", memories_status, name="memories_status"),
    path("example/", example, name="example"),
    path("", include("memoryapp.web.forget_urls")),
    path("memories/<uuid:fact_id>/", fact, name="fact"),
    path("memories/<uuid:fact_id>/edit/", fact_edit, name="fact_edit"),
    path("", include("memoryapp.web.review_urls")),
    path("timeline/", timeline, name="timeline"),
    path("figures/", figures, name="figures"),
    path("people/", people, name="people"),
    path("people/<slug:key>/", person, name="person"),
    path("people/<slug:key>/name/", person_name, name="person_name"),
    path("people/<slug:key>/same/", person_same, name="person_same"),
    path("people/names/<uuid:alias_id>/part/", person_part, name="person_part"),
    path("conversations/", conversations, name="conversations"),
    path("conversations/<uuid:conversation_id>/", conversation, name="conversation"),
    path("try/", try_it, name="try_it"),
    path("try/learned/<uuid:message_id>/", try_learned, name="try_learned"),
    path("try/undo/<uuid:decision_id>/", try_undo, name="try_undo"),
    path("export/", exports, name="exports"),
    path("export/memories.json", export_json, name="export_json"),
    path("export/schema.json", export_schema, name="export_schema"),
    path("export/memories.html", export_page, name="export_page"),
    path("import/", imports, name="imports"),
    path("import/<uuid:import_id>/", import_one, name="import"),
    path("import/<uuid:import_id>/status/", import_status, name="import_status"),
    path("import/<uuid:import_id>/start/", import_start, name="import_start"),
    path("import/<uuid:import_id>/forget/", import_forget, name="import_forget"),
    path("learned/", learned, name="learned"),
    path("learned/<uuid:extraction_id>/undo/", learned_undo, name="learned_undo"),
    path("news/", news, name="news"),
    path("live/", live, name="live"),
    path("activity/", activity, name="activity"),
    path("activity/check/", activity_check, name="activity_check"),
    path("activity/download/<slug:form>/", activity_download, name="activity_download"),
    path("apps/", include("memoryapp.web.apps_urls")),
    path("settings/", include("memoryapp.web.settings_urls")),
    path("undo/<uuid:act>/", undo, name="undo"),
]
