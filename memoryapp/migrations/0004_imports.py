import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load


def link(to, related_name):
    return models.ForeignKey(
        blank=True, db_constraint=False, db_index=False, null=True,
        on_delete=django.db.models.deletion.DO_NOTHING, related_name=related_name, to=to,
    )


STATE = [
    migrations.CreateModel(
        name='Import',
        fields=[
            ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
            ('format', models.CharField(blank=True, default='', max_length=20)),
            ('state', models.CharField(choices=[('receiving', 'Receiving'), ('looking', 'Looking'), ('refused', 'Refused'), ('ready', 'Ready'), ('storing', 'Storing'), ('reading', 'Reading'), ('done', 'Done'), ('failed', 'Failed'), ('undone', 'Undone')], default='receiving', max_length=12)),
            ('actor', models.CharField(max_length=120)),
            ('application_id', models.UUIDField(blank=True, null=True)),
            ('file', models.CharField(blank=True, default='', max_length=100)),
            ('size', models.PositiveBigIntegerField(default=0)),
            ('preview', models.JSONField(blank=True, default=dict)),
            ('counts', models.JSONField(blank=True, default=dict)),
            ('position', models.PositiveIntegerField(default=0)),
            ('error', models.CharField(blank=True, default='', max_length=40)),
            ('created_at', models.DateTimeField()),
            ('started_at', models.DateTimeField(blank=True, null=True)),
            ('ended_at', models.DateTimeField(blank=True, null=True)),
            ('user', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
        ],
    ),
    migrations.AddField('message', 'source_import', link('memoryapp.import', 'messages')),
    migrations.AddField('outbox', 'source_import', link('memoryapp.import', 'outbox')),
    migrations.AlterField('outbox', 'conversation', link('memoryapp.conversation', 'outbox')),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0003_no_statistics"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("imports").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
