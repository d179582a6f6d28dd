// The pages. Each has the route that it needs, if any, and draws what that answered.

import { h } from './dom.js';
import { area, spark } from './charts.js';
import { waitGraph } from './graph.js';
import { ago, bytes, clock, count, duration, percent, plural, queued, rate } from './format.js';
import { bar, busyColumns, doer, empty, flags, lintCard, mark, process, section, table, text, typeColumns, who } from './parts.js';

const lintList = (lints, now) => lints.length
  ? h('ul.lints', null, lints.map((l) => lintCard(l, now)))
  : h('ul.lints', null, h('li.lint.ok', { 'data-key': 'ok' }, mark('ok'), h('div', null, h('p.text', null, 'Nothing found.'),
    h('p.meta', null, 'The rules look once a second: queues, waiting, long turns, restarts, holds.'))));

function tile(title, figure, note, values, tone) {
  return h('div.tile' + (tone ? '.' + tone : ''), { 'data-key': title }, h('h3', null, title), h('p.figure', null, figure),
    h('p.note', null, note), values && values.length > 1 && spark(values.slice(-60)));
}

function tiles(s, past) {
  const last = (list) => list ?? [];
  return h('div.tiles', null,
    tile('Messages/s', count(s.per_second.messages), count(s.total.messages) + ' in all', last(past?.messages_per_second)),
    tile('Workers busy', percent(s.utilisation), plural(s.workers, 'worker') + (s.pinned_busy >= 0.01 ? `, and pinned ones ${percent(s.pinned_busy)}` : ''), last(past?.utilisation)),
    tile('Actors living', s.living.seen ? '≈ ' + count(s.living.estimate) : s.living.high ? '≤ ' + count(s.living.high) : '–',
      s.living.seen ? `${count(s.living.low)}–${count(s.living.high)} · ${count(s.living.seen)} seen, 1 in ${s.living.one_in}` : 'none in the sample of 1 in ' + s.living.one_in, last(past?.living)),
    tile('Muted, asking', count(s.muted) + ', ' + count(s.asking), count(s.total.mutes) + ' mutes in all', last(past?.muted)),
    tile('Dead letters/s', rate(s.per_second.dead_letters), count(s.total.dead_letters) + ' in all', last(past?.dead_letters_per_second), s.per_second.dead_letters > 0 ? 'bad' : ''),
    tile('Panics', count(s.total.panics), rate(s.per_second.panics) + ' a second', last(past?.panics_per_second), s.per_second.panics > 0 ? 'bad' : ''),
    tile('Heap', s.machine.heap_bytes ? bytes(s.machine.heap_bytes) : '–', `${bytes(s.machine.allocated_bytes_per_second)}/s, collector ${percent(s.machine.collector)}`),
    tile('Goroutines', count(s.machine.goroutines), s.machine.threads_without_processor >= 0.05 ? `${rate(s.machine.threads_without_processor)} threads lack a processor` : 'no thread lacks a processor'));
}

const looks = (s) => `${count(s.profile_looks_running)} of ${count(s.profile_looks)} looks met a turn` +
  (s.profile_looks_running ? `, so ± ${Math.ceil(Math.min(100, 100 / Math.sqrt(s.profile_looks_running)))} %` : '');

function charts(past, width, range) {
  const wide = width >= 900 ? Math.floor((width - 16) / 2) - 32 : width - 32;
  const pick = h('div.range', { role: 'group', 'aria-label': 'Range of the charts' }, [[300, '5 min'], [3600, '1 h']].map(([s, t]) =>
    h('button', { type: 'button', 'data-act': 'range', 'data-range': s, 'aria-pressed': range === s ? 'true' : 'false', 'data-key': 'range' + s }, t)));
  const note = past?.at_unix?.length ? 'since ' + clock(past.since) + (past.step_seconds > 1 ? ', means of ' + duration(past.step_seconds) : '') : 'since just now';
  const at = past?.at_unix ?? [];
  return h('section', { 'aria-label': 'Charts' },
    h('div.head', null, h('h2', null, 'Over time'), h('p.note', null, note), pick),
    h('div.two', null,
      h('figure.card', null, h('figcaption', null, 'Messages a second'), area({ label: 'Messages a second', at, values: past?.messages_per_second ?? [], most: past?.step_seconds > 1 ? past.messages_per_second_max : null, format: count, width: wide })),
      h('figure.card', null, h('figcaption', null, 'Workers busy'), area({ label: 'Workers busy', at, values: past?.utilisation ?? [], top: 1, format: percent, width: wide }))));
}

const workerRows = (list, slots) => h('ul.workers', null, list.map((w) => h('li', { 'data-key': 'w' + w.id },
  h('span.id', null, (w.pinned ? 'pinned ' : w.id >= slots ? 'stand-in ' : 'worker ') + w.id), bar(w.busy, null, w.busy > 0.9),
  h('span.does', null, w.type ? [h('span.state.' + w.state, null, w.state), ' ', doer(w), w.behaviour && [' ', text(w.behaviour)], w.for_seconds > 0 && h('span.tag.bad', null, duration(w.for_seconds))] : h('span.dim', null, w.state)))));

export function workersOf(list, slots) {
  const own = list.filter((w) => w.pinned || w.id < slots || w.busy > 0.005 || w.type || w.messages_per_second > 0 || w.parks_per_second > 0);
  const shown = own.length ? own : list.slice(0, 8);
  return [workerRows(shown, slots), shown.length < list.length && h('p.note', null, plural(list.length - shown.length, 'idle worker') + ' not shown')];
}

export function sorted(rows, order) {
  const by = { name: (t) => t.name, busy: (t) => -t.busy, living: (t) => -t.living, p50: (t) => -(t.delay_p50_seconds ?? -1), p99: (t) => -Math.max(t.delay_p99_seconds ?? -1, t.delay_at_least_seconds ?? -1) }[order];
  return by ? [...rows].sort((a, b) => by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0) : rows;
}

const overview = {
  title: 'Overview', past: true,
  draw({ now, past, width, range }) {
    const s = now.system;
    return [h('h1.sr', null, 'Overview'),
      section('Lints', null, lintList(now.lints.slice(0, 4), s.at), now.lints.length > 4 && h('p.more', null, h('a', { href: '#/lints' }, `and ${now.lints.length - 4} more`))), tiles(s, past), charts(past, width, range),
      h('div.two.uneven', null,
        section('Busiest', looks(s),
          table({ label: 'Busiest actors', columns: busyColumns, rows: now.top, key: (b) => [b.actor, b.process, b.type, b.behaviour], none: s.profile_looks ? 'No look has met a turn: the system has little to do.' : 'No looks yet: a second, please.' })),
        section('Workers', null, workersOf(now.workers, s.workers))),
      section('Types', 'mail waits: as probes to some actors of the type find it',
        table({ label: 'Types', columns: typeColumns.map((c) => ({ ...c, sort: null })), rows: now.types, key: (t) => t.name, none: 'No actor was spawned yet.' }))];
  },
};

const lints = {
  title: 'Lints', badge: (o) => o.lints.filter((l) => l.severity !== 'info').length,
  draw: ({ now }) => [h('h1', null, 'Lints'), h('p.lead', null, 'What seems to be wrong, worst first. ! is wrong or will be; ? may be meant so.'), lintList(now.lints, now.system.at)],
};

const busiest = {
  title: 'Busiest', route: 'top',
  draw: ({ data, now }) => [h('h1', null, 'Busiest actors'),
    h('p.lead', null, `What ran when the workers were looked at, 100 times a second, in the last 5 to 10 seconds: ${looks(now.system)}. Shares are of one worker’s time.`),
    table({ label: 'Busiest actors', columns: busyColumns, rows: data, key: (b) => [b.actor, b.process, b.type, b.behaviour], none: 'No look has met a turn: the system has little to do, or the page was opened just now.' })],
};

const workers = {
  title: 'Workers', route: 'workers',
  draw: ({ data, now }) => [h('h1', null, 'Workers'), h('p.lead', null, 'A worker beyond the first ones stands in for one whose turn is long or blocks.'), section('Now', null, workersOf(data, now.system.workers)),
    section('Figures', null, table({ label: 'Workers', key: (w) => w.id, none: 'There is no worker.', rows: data.filter((w) => !w.pinned && (w.messages_per_second || w.parks_per_second || w.busy || w.steals_per_second)).concat(data.every((w) => !(w.messages_per_second || w.parks_per_second || w.busy)) ? data.slice(0, 8) : []), columns: [
      { title: 'Worker', cell: (w) => w.id }, { title: 'State', cell: (w) => w.state }, { title: 'Busy', cell: (w) => bar(w.busy) },
      { title: 'Messages/s', number: true, cell: (w) => rate(w.messages_per_second) }, { title: 'Steals/s', number: true, cell: (w) => rate(w.steals_per_second) },
      { title: 'Parks/s', number: true, cell: (w) => rate(w.parks_per_second) }] }))],
};

const types = {
  title: 'Types', route: 'types', order: 'busy',
  draw: ({ data, order }) => [h('h1', null, 'Types'), h('p.lead', null, 'Living actors are estimated from a sample of 1 in 1,024 spawned; the title of a figure has its range. How long mail waits is measured by probes, a few a second.'),
    table({ label: 'Types', order, rows: sorted(data, order), key: (t) => t.name, none: 'No actor was spawned yet.', columns: [...typeColumns,
      { title: 'State', number: true, cell: (t) => bytes(t.state_bytes) }, { title: 'Behaviours', wide: true, cell: (t) => text((t.behaviours ?? []).join(', ')) }] })],
};

const actors = {
  title: 'Actors', route: 'actors', order: 'queued',
  query: ({ order, search }) => '?' + new URLSearchParams({ sort: ['queued', 'busy', 'type', 'id'].includes(order) ? order : 'queued', limit: 100, ...(search ? { q: search.slice(0, 100) } : {}) }),
  draw: ({ data, order, search }) => [h('h1', null, 'Actors'),
    h('p.lead', null, `${count(data.known)} can be found${data.living_estimate ? `, of about ${count(data.living_estimate)} that live` : ''}: those with a name, at work, waiting or waited for, and a sample of 1 in ${count(data.one_in)}. gallop keeps no list of all.`),
    h('form.search', { role: 'search', 'data-act': 'search' }, h('label', { for: 'q' }, 'Search'),
      h('input', { id: 'q', type: 'search', value: search, maxlength: 100, placeholder: 'type, name, path or number', autocomplete: 'off', spellcheck: 'false', 'data-act': 'search' }),
      h('span.note', null, `${count(data.matched)} match` + (data.matched > data.actors.length ? `, ${data.actors.length} shown` : ''))),
    table({ label: 'Actors', order, rows: data.actors, key: (a) => a.id, none: search ? 'No actor that can be found has this text.' : 'No actor can be found: there is none, or none that stands out.', columns: [
      { title: 'Actor', wide: true, sort: 'type', cell: who }, { title: 'Status', cell: (a) => [a.status, ' ', flags(a)] },
      { title: 'Mail', number: true, sort: 'queued', cell: queued }, { title: 'Busy', sort: 'busy', cell: (a) => a.busy ? bar(a.busy) : h('span.dim', null, '–') },
      { title: 'Path', cell: (a) => a.path ? text(a.path) : '' }] })],
};

const node = (n) => h('li', { 'data-key': n.name + n.type }, h('div.node', null,
  h('bdi.clip.strong', { title: n.name }, n.name || '(no name)'), ' ', n.id ? who({ id: n.id, type: n.type }) : h('bdi.clip.dim', null, n.type),
  h('span.tag' + (/running/i.test(n.state) ? '.good' : '.wait'), null, n.state), n.strategy && h('span.tag', null, n.strategy),
  n.restarts > 0 && h('span.tag.bad', null, plural(n.restarts, 'restart')),
  n.last && h('span.why', null, text(n.last), n.last_at && h('span.dim', null, ' at ' + clock(n.last_at)))),
  n.children && h('ul', null, n.children.map(node), n.children_left_out && h('li.note', { 'data-key': 'left' }, `and ${count(n.children_left_out)} more`)));

const tree = {
  title: 'Supervision', route: 'tree',
  draw: ({ data }) => [h('h1', null, 'Supervision'), data.length ? h('ul.tree', null, data.map(node)) : empty('No supervisor runs in this system (supervise.Start).')],
};

const names = {
  title: 'Names', route: 'names',
  draw: ({ data }) => [h('h1', null, 'Names'), table({ label: 'Names', rows: data, key: (n) => n.name, none: 'No name is registered (Register, SpawnNamed).', columns: [
    { title: 'Name', wide: true, cell: (n) => text(n.name) }, { title: 'Actor', cell: (n) => who({ ...n.actor, name: '' }) },
    { title: 'Status', cell: (n) => [n.actor.status, ' ', flags(n.actor)] }, { title: 'Mail', number: true, cell: (n) => queued(n.actor) }] })],
};

const groupList = {
  title: 'Pools, topics', route: 'groups',
  draw: ({ data }) => [h('h1', null, 'Pools, topics, registries'), h('p.lead', null, 'Of package group: those that were made since the handler, and those in supervision trees. One that does not answer within a fifth of a second is silent: its turn is long, or it waits for its restart.'),
    table({ label: 'Pools, topics, registries', rows: data.groups, key: (g) => g.actor.id, none: 'There is no pool, topic or registry (package group).', columns: [
      { title: 'Kind', cell: (g) => g.what }, { title: 'Of', wide: true, cell: (g) => g.of ? text(g.of) : h('span.dim', null, '–') }, { title: 'Actor', cell: (g) => who(g.actor) },
      { title: 'Members', number: true, cell: (g) => g.silent ? h('span.tag.wait', null, 'silent') : [count(g.members), g.down > 0 && [' ', h('span.tag.bad', null, `${count(g.down)} down`)]] },
      { title: 'Keys', number: true, cell: (g) => g.keys ? count(g.keys) : '' }, { title: 'Status', cell: (g) => [g.actor.status, ' ', flags(g.actor)] }, { title: 'Mail', number: true, cell: (g) => queued(g.actor) }] }),
    data.left_out > 0 && h('p.note', null, `and ${count(data.left_out)} more`)],
};

const processList = {
  title: 'Processes', route: 'processes',
  draw: ({ data }) => [h('h1', null, 'Processes'), h('p.lead', null, data.seen ? `${data.more ? 'More than ' : ''}${count(data.seen)} processes, and where they wait. Those with a name are listed first.` : 'Of package process, where they are joined to this system.'),
    data.waits.length > 0 && section('Where they wait', null, table({ label: 'Where they wait', rows: data.waits, key: (w) => w.on, none: '', columns: [
      { title: 'Waits for', wide: true, cell: (w) => w.on ? text(w.on) : h('span.state.running', null, 'running or ready') }, { title: 'Processes', number: true, cell: (w) => count(w.count) }, { title: 'Share', cell: (w) => bar(w.count / data.seen) }] })),
    section('Processes', data.seen > data.processes.length ? `${count(data.processes.length)} of them` : null, table({ label: 'Processes', rows: data.processes, key: (p) => p.id, none: 'There is no process (process/actors.Join).', columns: [
      { title: 'Process', wide: true, cell: process }, { title: 'Mail', number: true, cell: (p) => count(p.queued) },
      { title: 'Waits for', wide: true, cell: (p) => p.waits ? [text(p.on), p.for && [' ', who(p.for)], p.asked && [' ', process({ id: p.asked, type: 'process' })]] : h('span.state.running', null, 'running or ready') }, { title: 'In', cell: (p) => p.line ? h('code', null, p.line) : '' }] }))],
};

function waits(title, lead, none, verb) {
  return ({ data }) => [h('h1', null, title), h('p.lead', null, lead),
    data.circles.map((c, i) => h('p.circle', { 'data-key': 'c' + i }, mark('warn'), h('span', null, 'A circle: ', c.map((a, k) => [k ? ' → ' : '', who(a)]), ' → ', who(c[0])))),
    data.edges.length ? [h('div.scroll.canvas', { tabindex: '0', role: 'region', 'aria-label': title + ', as a picture' }, waitGraph(data.edges.slice(0, 120), data.circles, title)),
      (data.left_out > 0 || data.edges.length > 120) && h('p.note', null, `the first ${Math.min(120, data.edges.length)} of ${data.edges.length + data.left_out} are drawn`),
      table({ label: title + ', as a table', rows: data.edges, none, columns: [{ title: 'Who', wide: true, cell: (e) => who(e.from) }, { title: verb, wide: true, cell: (e) => who(e.to) },
        { title: 'In', cell: (e) => e.behaviour ? text(e.behaviour) : '' }, { title: 'For', number: true, cell: (e) => e.at_least_seconds ? '≥ ' + duration(e.at_least_seconds) : '–' }] })] : empty(none)];
}

const mutes = { title: 'Mutes', badge: (o) => o.system.muted, quiet: true, route: 'mutes', draw: waits('Mute graph', 'Who is muted, and for whom. An arrow leads to the actor that is waited for: one on the right that waits for nothing is the one that does not keep up.', 'No actor is muted.', 'Waits for') };
const asks = { title: 'Asks', badge: (o) => o.system.asking, quiet: true, route: 'asks', draw: waits('Ask graph', 'Who waits for a reply in its turn, and from whom.', 'No actor waits for a reply in its turn.', 'Asks') };

const holder = (x) => x.process ? process({ id: x.process, type: x.actor.type, names: x.actor.name ? [x.actor.name] : undefined }) : x.actor ? who(x.actor) : h('span.dim', null, '–');

const why = {
  title: 'Why it goes on', route: 'why',
  draw: ({ data }) => [h('h1', null, 'Why the system is not quiescent'), h('p.lead', null, 'What keeps Wait, Run and Shutdown from returning, by kind. While the system works this is a hint; once nothing moves it is exact.'),
    table({ label: 'Reasons', rows: data.holders, none: 'Nothing: the system is quiescent.', columns: [
      { title: 'What', cell: (x) => x.what }, { title: 'How many', number: true, cell: (x) => count(x.count) }, { title: 'Whose', wide: true, cell: (x) => holder(x) },
      { title: 'Waits for', cell: (x) => x.for ? who(x.for) : '' }] }),
    section('Holds', 'taken since the page was mounted', table({ label: 'Holds', rows: data.holds, none: 'No hold is taken.', columns: [
      { title: 'Taken in', wide: true, cell: (x) => h('code', null, x.at) }, { title: 'For', number: true, cell: (x) => duration(x.seconds) }] }))],
};

const deadletters = {
  title: 'Dead letters', badge: (o) => Math.round(o.system.per_second.dead_letters), route: 'deadletters',
  draw: ({ data, now }) => [h('h1', null, 'Dead letters'), h('p.lead', null, 'Messages that will not run, since ' + clock(now.system.since) + ', grouped.'),
    table({ label: 'Dead letters', rows: data.groups, none: 'None since the page was opened.', key: (l) => l.type + l.behaviour + l.reason + l.from_type, columns: [
      { title: 'For', wide: true, cell: (l) => [text(l.type + '.' + l.behaviour), l.best_effort && h('span.tag', null, 'best effort')] }, { title: 'Reason', wide: true, cell: (l) => text(l.reason) }, { title: 'From', cell: (l) => l.from_type ? text(l.from_type) : h('span.dim', null, 'outside') },
      { title: 'Count', number: true, cell: (l) => count(l.count) }, { title: '/s', number: true, cell: (l) => rate(l.per_second) }, { title: 'Last', number: true, cell: (l) => ago(l.last, now.system.at) }] }),
    data.recent.length > 0 && section('The last', data.left_out ? count(data.left_out) + ' were left out, there were too many' : null, table({ label: 'The last dead letters', rows: data.recent, none: '', columns: [
      { title: 'At', cell: (l) => clock(l.at) }, { title: 'To', wide: true, cell: (l) => who(l.actor) }, { title: 'Behaviour', cell: (l) => text(l.behaviour) }, { title: 'Reason', cell: (l) => text(l.reason) }, { title: 'From', cell: (l) => l.from ? who({ id: l.from, type: l.from_type || 'actor' }) : h('span.dim', null, 'outside') }] }))],
};

const stack = (s, label) => s && h('details', { 'data-key': 'stack' }, h('summary', null, label), h('pre', { tabindex: '0' }, s));

const panicList = (list) => h('ul.events', null, list.map((p) => h('li', { 'data-key': p.at + p.actor.id }, h('p.strong', null, h('bdi', null, p.value)),
  h('p.meta', null, clock(p.at), ' · ', who(p.actor), ' in ', text(p.behaviour || 'a collection'), p.from ? [' · sent by #', p.from] : ' · sent from outside'), h('p', null, h('code', null, p.frame)), stack(p.stack, 'Stack'))));

const panics = {
  title: 'Panics', badge: (o) => o.system.total.panics, quiet: true, route: 'panics',
  draw: ({ data, now }) => [h('h1', null, 'Panics'), h('p.lead', null, `${count(now.system.total.panics)} in all. The last ones since ${clock(now.system.since)}, the newest first.`),
    data.length ? panicList(data) : empty('None since the page was opened.')],
};

const turnList = (list) => h('ul.events', null, list.map((t) => h('li', { 'data-key': t.at + t.actor.id + (t.process ?? '') }, h('p.strong', null, t.now ? h('span.tag.bad', null, 'now') : '', ' ≥ ' + duration(t.at_least_seconds) + (t.blocking ? ', blocking as declared' : '')),
  h('p.meta', null, clock(t.at), ' · ', t.process ? process({ id: t.process, type: t.actor.type, names: t.actor.name ? [t.actor.name] : undefined }) : [who(t.actor), ' in ', text(t.behaviour)], ' · worker ' + t.worker), t.line && h('p', null, h('code', null, t.line)), stack(t.stack, 'Where it is'))));

const longturns = {
  title: 'Long turns', route: 'longturns',
  draw: ({ data }) => [h('h1', null, 'Long turns'), h('p.lead', null, 'Turns that run for long now, then those that ran or blocked for longer than WithLongTurn, the newest first.'),
    data.length ? turnList(data) : empty('None runs now, and none was long since the page was opened.')],
};

const problems = (list, now) => list.length > 0 && section('Findings', null, h('ul.lints', null, list.map((l) => lintCard(l, now.system.at))));

// turns has what an actor or a process runs now, with the place in the code.
const turns = (data, now) => data.turn.map((t) => h('section', { 'aria-label': 'What it runs', 'data-key': 'turn' }, h('div.head', null, h('h2', null, 'What it runs')),
  h('div.card.turn', null, h('p.strong', null, t.behaviour ? [h('bdi', null, t.behaviour), ', '] : '', `for ${duration(t.at_least_seconds)}` + (t.blocking ? ', blocking as declared' : '')),
    h('p.meta', null, `since ${clock(t.at)} · on worker ${t.worker}`), t.line && h('p', null, h('code', null, t.line)), t.stack && h('pre', { tabindex: '0' }, t.stack))));

const facts = (list) => h('dl.facts', null, list.filter(([, v]) => v).map(([k, v]) => h('div', { 'data-key': k }, h('dt', null, k), h('dd', null, typeof v === 'string' ? text(v) : v))));

const waitingProcesses = (list, what) => list.length > 0 && section(what, null, table({ label: what, rows: list, key: (p) => p.id, none: '', columns: [
  { title: 'Process', wide: true, cell: process }, { title: 'Waits for', cell: (p) => text(p.on) }, { title: 'In', wide: true, cell: (p) => p.line ? h('code', null, p.line) : '' }] }));

function stateOf(data) {
  const said = data.state_age_seconds ? `as of ${duration(data.state_age_seconds)} ago` : null;
  return section('What its state says', said, data.state_error && h('p.empty', { 'data-key': 'late' }, data.state_error + '.'),
    data.state ? h('pre', { tabindex: '0' }, data.state) : !data.state_error && empty('Nothing. A state can describe itself: see observe.Inspector and slog.LogValuer.'));
}

export const actor = {
  title: 'Actor', route: ({ id }) => 'actor/' + id,
  name: (data) => data?.actor && `${data.actor.type}#${data.actor.id}`,
  draw: ({ data, now }) => {
    const a = data.actor, under = data.holders.filter((x) => x.what !== 'running turn'), all = [...data.waits_for, ...data.is_waited_for_by];
    return [h('h1', null, h('bdi.clip', { title: a.type }, a.type), h('span.dim', null, ' #' + a.id)),
      facts([['Name', a.name], ['Path', a.path], ['Status', [data.turn.length || data.runs ? 'at work' : a.status, ' ', flags(a)]], ['Mail', queued(a) + (a.mail_waits_seconds ? `, waits ${duration(a.mail_waits_seconds)}` : '')],
        ['Spawned', a.spawned ? ago(a.spawned, now.system.at) : null],  ['State', data.state_type && [h('code', null, data.state_type), ' ', bytes(data.state_bytes ?? 0)]]]),
      now.system.actions && a.status !== 'ended' && h('p', null, h('button.danger', { type: 'button', 'data-act': 'stop', 'data-id': a.id }, 'Stop this actor')),
      problems(data.findings, now), turns(data, now),
      data.mail.length > 0 && section('Its mail', a.queued_more ? 'the first thousand' : null, table({ label: 'Its mail', rows: data.mail, key: (m) => m.behaviour, none: '', columns: [
        { title: 'Behaviour', wide: true, cell: (m) => m.behaviour ? text(m.behaviour) : h('span.dim', null, 'of the runtime') }, { title: 'Messages', number: true, cell: (m) => count(m.count) }] })),
      all.length > 0 && section('Waiting', 'who is waited for stands on the right', h('div.scroll.canvas', { tabindex: '0', role: 'region', 'aria-label': 'Waiting, as a picture' }, waitGraph(all, [], 'Waiting'))),
      waitingProcesses(data.processes_that_wait, 'Processes that wait for it'),
      under.length > 0 && section('What it has under way', null, table({ label: 'What it has under way', rows: under, none: '', columns: [
        { title: 'What', cell: (x) => text(x.what) }, { title: 'How many', number: true, cell: (x) => count(x.count) }, { title: 'Whose', cell: holder }, { title: 'Waits for', cell: (x) => x.for ? who(x.for) : '' }] })),
      stateOf(data),
      section('At work', null, table({ label: 'At work', columns: busyColumns.slice(1, 3), rows: data.busy, none: 'No look has met it at work.' })),
      data.panics.length > 0 && section('Its panics', 'the newest first', panicList(data.panics)),
      data.long_turns.length > 0 && section('Its long turns', 'the newest first', turnList(data.long_turns))];
  },
};

export const processView = {
  title: 'Process', route: ({ id }) => 'process/' + id,
  name: (data) => data?.process && `${data.process.type}#${data.process.id}`,
  draw: ({ data, now }) => {
    const p = data.process;
    return [h('h1', null, h('bdi.clip', { title: p.type }, p.type), h('span.dim', null, ' #' + p.id)),
      facts([['Names', p.names?.join(', ')], ['Status', p.waits ? 'waits' : 'running or ready'],
        ['Waits for', p.waits && [text(p.on), p.for && [' ', who(p.for)], p.asked && [' ', process({ id: p.asked, type: 'process' })]]], ['Mail', count(p.queued)]]),
      problems(data.findings, now), turns(data, now), waitingProcesses(data.processes_that_wait, 'Processes that wait for it'),
      !data.turn.length && section('Where it is', null, p.line && h('p', null, h('code', null, p.line)), data.stack ? h('pre', { tabindex: '0' }, data.stack) : empty('Its stack is not known: the program has more than 500 goroutines.')),
      section('At work', null, table({ label: 'At work', columns: busyColumns.slice(1, 3), rows: data.busy, none: 'No look has met it at work.' }))];
  },
};

export const groups = [
  ['Now', { '': overview, lints }],
  ['Work', { busiest, workers, types, actors }],
  ['Shape', { tree, names, groups: groupList, processes: processList }],
  ['Waiting', { mutes, asks, why }],
  ['Failures', { deadletters, panics, longturns }],
];

export const views = Object.assign({}, ...groups.map(([, v]) => v), { actor, process: processView });
