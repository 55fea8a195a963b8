import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load

STATE = [
    migrations.AddField('memorysettings', 'paused_until', models.DateTimeField(blank=True, null=True)),
    migrations.AddField('memorysettings', 'expiry', models.JSONField(blank=True, default=dict)),
    migrations.AddField('memorysettings', 'review_keys', models.BooleanField(default=True)),
    migrations.AddField('conversation', 'learning', models.CharField(
        choices=[('on', 'On'), ('off', 'Off'), ('temporary', 'Temporary')], default='on', max_length=10,
    )),
    migrations.CreateModel(
        name='NeverTopic',
        fields=[
            ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
            ('words', models.CharField(blank=True, default='', max_length=200)),
            ('attribute', models.CharField(blank=True, default='', max_length=80)),
            ('area', models.CharField(blank=True, default='', max_length=20)),
            ('sensitivity', models.CharField(blank=True, default='', max_length=20)),
            ('created_at', models.DateTimeField()),
            ('left_out', models.PositiveIntegerField(default=0)),
            ('last_left_out_at', models.DateTimeField(blank=True, null=True)),
            ('user', models.ForeignKey(
                db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
                related_name='+', to=settings.AUTH_USER_MODEL,
            )),
        ],
        options={'abstract': False},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0011_uses"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("rules").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
