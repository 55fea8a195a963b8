import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load


def key():
    return models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)


def user():
    return models.ForeignKey(
        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
        related_name='+', to=settings.AUTH_USER_MODEL,
    )


def link(to, related_name, null=False):
    return models.ForeignKey(
        blank=null, db_constraint=False, db_index=False, null=null,
        on_delete=django.db.models.deletion.DO_NOTHING, related_name=related_name, to=to,
    )


STATE = [
    migrations.AddField('fact', 'expiry_chosen', models.BooleanField(default=False)),
    migrations.CreateModel(
        name='MemoryUse',
        fields=[
            ('id', key()),
            ('at', models.DateTimeField()),
            ('application_id', models.UUIDField(blank=True, null=True)),
            ('via', models.CharField(choices=[('recall', 'Recall'), ('context', 'Context'), ('chat', 'Chat'), ('mcp', 'Mcp'), ('try', 'Try'), ('check', 'Check')], max_length=10)),
            ('conversation', link('memoryapp.conversation', 'uses', null=True)),
            ('fact', link('memoryapp.fact', 'uses')),
            ('message', link('memoryapp.message', 'uses', null=True)),
            ('user', user()),
        ],
        options={'abstract': False},
    ),
    migrations.CreateModel(
        name='HandAct',
        fields=[
            ('id', key()),
            ('act', models.UUIDField()),
            ('kind', models.CharField(choices=[('edit', 'Edit'), ('weigh', 'Weigh'), ('approve', 'Approve'), ('reject', 'Reject')], max_length=12)),
            ('actor', models.CharField(max_length=120)),
            ('at', models.DateTimeField()),
            ('before', models.JSONField(blank=True, default=dict)),
            ('undone_at', models.DateTimeField(blank=True, null=True)),
            ('fact', link('memoryapp.fact', 'acts')),
            ('user', user()),
        ],
        options={'abstract': False},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0010_evidence_import"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("uses").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
