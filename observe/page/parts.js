// Parts that several views are made of.

import { h } from './dom.js';
import { ago, count, duration, lasted, percent, plural, queued } from './format.js';

export const section = (title, note, ...children) => h('section', { 'aria-label': title },
  h('div.head', null, h('h2', null, title), note && h('p.note', null, note)), children);

export const empty = (text) => h('p.empty', null, text);

// who links an actor. Long and hostile names are cut by the style, and whole in the title.
export function who(a) {
  if (!a) return h('span.dim', null, 'outside');
  const text = a.type + (a.id ? '#' + a.id : '');
  const names = [h('bdi', null, a.type || '?'), a.id ? h('span.dim', null, '#' + a.id) : null,
    a.name ? h('span.name', null, h('bdi', null, a.name)) : null];
  return a.id
    ? h('a.who', { href: '#/actor/' + a.id, title: text + (a.name ? ` (${a.name})` : '') + (a.path ? ` at ${a.path}` : '') }, names)
    : h('span.who', { title: text }, names);
}

// process links a process.
export const process = (p) => h('a.who', { href: '#/process/' + p.id, title: `${p.type}#${p.id}` + (p.names ? ` (${p.names.join(', ')})` : '') },
  h('bdi', null, p.type || 'process'), h('span.dim', null, '#' + p.id), p.names && h('span.name', null, h('bdi', null, p.names.join(', '))));

// doer links the actor or the process of a row.
export const doer = (x) => x.process ? process({ id: x.process, type: x.type, names: x.name ? [x.name] : undefined }) : who({ id: x.actor, type: x.type, name: x.name });

export const text = (value) => h('bdi.clip', { title: value }, value);

// bar is a share with its figure.
export function bar(share, label, hot) {
  return h('div.bar' + (hot ? '.hot' : ''), null, h('div.track', null,
    h('i', { 'width%': Math.round(Math.min(1, share) * 1000) / 10 })), h('b', null, label ?? percent(share)));
}

const symbols = { warn: '!', check: '?', info: 'i', ok: '✓' };
const words = { warn: 'Warning', check: 'To check', info: 'Note', ok: 'OK' };

export const mark = (severity) => h('span.mark.' + severity, { role: 'img', 'aria-label': words[severity] }, symbols[severity]);

export function lintCard(l, now) {
  return h('li.lint.' + l.severity, { 'data-key': l.rule + (l.actors[0]?.id ?? l.subject_process ?? l.subject) },
    mark(l.severity),
    h('div', null,
      h('p.text', null, h('bdi', null, l.text)),
      h('details', { 'data-key': 'advice' }, h('summary', null, h('code', null, l.rule), ' · for ', lasted(l.since, now), new Date(now) - new Date(l.last_seen) > 2000 && [', last seen ', ago(l.last_seen, now)], l.victims > 0 && ` · ${plural(l.victims, 'victim')}`, ' · ', h('span.what', null, 'what to do')), h('p', null, l.advice), l.also && h('ul.also', null, l.also.map((x) => h('li', null, h('bdi', null, x))))),
      l.subject_process ? h('p.meta', null, process({ id: l.subject_process, type: l.subject.replace(/#.*/, '') })) : l.actors.some((a) => a.id) && h('p.meta', null, l.actors.filter((a) => a.id).slice(0, 6).map((a, i) => [i ? ' → ' : '', who(a)]))));
}

// flags are what a person should see about an actor besides its figures.
export function flags(a) {
  return [a.overloaded && h('span.tag.bad', null, 'overloaded'), a.muted && h('span.tag.wait', null, 'muted'),
    a.suspended && h('span.tag.bad', null, 'waits for restart'), a.pinned && h('span.tag', null, 'pinned')];
}

// table draws rows. A column is {title, cell, number, wide, sort}. Sorting is done where the list
// is made; order says how it is sorted now.
export function table({ label, columns, rows, key, order, none }) {
  if (!rows.length) return empty(none);
  const head = (c) => {
    const sorted = c.sort && order === c.sort;
    const inner = c.sort
      ? h('button', { type: 'button', 'data-act': 'sort', 'data-sort': c.sort, 'data-key': c.sort }, c.title, h('span.arrow', { 'aria-hidden': 'true' }, sorted ? ' ▾' : ''))
      : c.title;
    return h('th' + (c.number ? '.n' : '') + (c.wide ? '.wide' : ''), { scope: 'col', 'aria-sort': c.sort ? (sorted ? 'descending' : 'none') : null }, inner);
  };
  return h('div.scroll', { tabindex: '0', role: 'region', 'aria-label': label + ', a table' },
    h('table', null,
      h('thead', null, h('tr', null, columns.map(head))),
      h('tbody', null, rows.map((r, i) => h('tr', { 'data-key': key ? 'r' + key(r, i) : null },
        columns.map((c) => h('td' + (c.number ? '.n' : '') + (c.wide ? '.wide' : ''), null, c.cell(r))))))));
}

export const busyColumns = [
  { title: 'Actor', wide: true, cell: doer },
  { title: 'Behaviour', cell: (b) => b.behaviour ? text(b.behaviour) : h('span.dim', null, 'runtime') },
  { title: 'Busy', cell: (b) => bar(b.workers, null, b.workers > 0.9) },
  { title: 'Mail', number: true, cell: queued },
];

export const typeColumns = [
  { title: 'Type', wide: true, sort: 'name', cell: (t) => [text(t.name), t.pinned && h('span.tag', null, 'pinned')] },
  { title: 'Busy', sort: 'busy', cell: (t) => bar(t.workers) },
  { title: 'Living', number: true, sort: 'living', cell: (t) => t.living ? h('span', { title: `with 99 %: ${count(t.living_low)} to ${count(t.living_high)}` }, '≈ ' + count(t.living)) : h('span.dim', null, 'not in sample') },
  { title: 'Mail waits (p50)', number: true, sort: 'p50', cell: (t) => t.probes ? duration(t.delay_p50_seconds) : '–' },
  { title: 'p99', number: true, sort: 'p99', cell: (t) => t.delay_at_least_seconds > (t.delay_p99_seconds ?? 0) ? '≥ ' + duration(t.delay_at_least_seconds) : t.probes ? duration(t.delay_p99_seconds) : '–' },
];
