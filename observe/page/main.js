// The page: where it is, the stream that drives it, and what a person does to it.

import { applyWidths, h, morphChildren } from './dom.js';
import { count, duration } from './format.js';
import { groups, views } from './views.js';

const $ = (id) => document.getElementById(id);
const state = { now: null, past: null, data: null, route: '', range: 300, order: {}, search: '', paused: false, stream: null, error: '', fetched: 0, polling: 0 };

function place() {
  const [name = '', id = ''] = location.hash.replace(/^#\/?/, '').split('/');
  return views[name] ? { name, id: name === 'actor' ? id.replace(/\D/g, '') : '' } : { name: '', id: '' };
}

const get = async (path) => {
  const answer = await fetch('api/v1/' + path, { headers: { Accept: 'application/json' }, cache: 'no-store' });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
};

// routeOf is what the view needs from the API, '' if it needs nothing more than the overview.
function routeOf(view, at) {
  if (typeof view.route === 'function') return view.route(at);
  return view.route ? view.route + (view.query?.({ order: orderOf(view, at), search: state.search }) ?? '') : '';
}

const orderOf = (view, at) => state.order[at.name] ?? view.order ?? '';

// refresh asks for what the view needs, and draws. Answers that come too late are dropped.
let turn = 0;
async function refresh() {
  const mine = ++turn, at = state.at = place(), view = views[at.name], route = routeOf(view, at);
  const key = at.name + '/' + at.id;
  if (state.shown !== key) Object.assign(state, { shown: key, data: null, error: '' });
  try {
    if (view.past) {
      const past = await get('history?seconds=' + state.range);
      if (mine === turn) state.past = past;
    }
    if (route && !(view.slow && state.data && Date.now() - state.fetched < 2000)) {
      const data = await get(route);
      if (mine !== turn) return;
      Object.assign(state, { data, error: '', fetched: Date.now() });
    }
  } catch (problem) {
    if (mine !== turn) return;
    state.error = String(problem.message ?? problem).replace(/^gallop: observe: /, '');
  }
  draw();
}

function draw() {
  // Not where the address says: what is there now may be for the page before.
  const at = state.at ?? place(), view = views[at.name];
  drawNav(at);
  drawHead();
  document.title = (view.title === 'Overview' ? '' : view.title + ' · ') + 'gallop';
  const width = $('main').clientWidth - 2 * parseFloat(getComputedStyle($('main')).paddingInlineStart);
  const ready = state.now && (!view.route || state.data);
  const content = ready ? view.draw({ now: state.now, past: state.past, data: state.data, width, range: state.range, order: orderOf(view, at), search: state.search, id: at.id }) : [];
  const shell = h('main', null, state.error && h('p.problem', { role: 'alert' }, state.error),
    content, !ready && !state.error && h('p.empty', null, 'Looking …'));
  morphChildren($('main'), [...shell.childNodes]);
  applyWidths($('main'));
  $('main').dataset.ready = ready ? at.name || 'overview' : '';
}

function drawNav(at) {
  const link = ([name, view]) => {
    const n = state.now && view.badge ? view.badge(state.now) : 0;
    return h('a', { href: '#/' + name, 'aria-current': at.name === name ? 'page' : null, 'data-key': 'nav' + name }, view.title,
      n > 0 && h('span.badge' + (view.quiet ? '.quiet' : ''), null, count(n)));
  };
  morphChildren($('nav'), groups.map(([title, list]) => h('div.group', { 'data-key': title }, h('p', { 'aria-hidden': 'true' }, title), Object.entries(list).map(link))));
}

function drawHead() {
  const s = state.now?.system;
  if (!s) return;
  const word = { ok: 'healthy', check: 'to check', warn: 'warning' }[s.health] ?? s.health;
  const live = state.paused ? 'paused' : state.lost ? 'connection lost' : '';
  morphChildren($('headline'), [h('span.pill.' + s.health, null, word), live && h('span.pill.wait', null, live), h('bdi.clip', { title: s.headline }, s.headline)]);
  morphChildren($('foot'), [h('p', null, `Looked at for ${duration(Math.round(s.seconds))}, since ${new Date(s.since).toLocaleTimeString('en-GB')}; nothing is known of the time before. `,
    h('a', { href: 'api/v1/' }, 'The same as text and JSON'), '. ',
    s.flight && ['Flight recorder: ', h('a', { href: 'flight?as=text', download: '' }, 'text'), ', ', h('a', { href: 'flight?as=json', download: '' }, 'JSON'), '. '], 'Keys: ', h('kbd', null, 'g'), ' then ', h('kbd', null, 'o l b a m w d'), ' go, ', h('kbd', null, '/'), ' search, ', h('kbd', null, 'p'), ' pause, ', h('kbd', null, 't'), ' theme.')]);
}

// ---- the stream ----

function open() {
  close();
  if (state.paused || document.hidden) return;
  const stream = state.stream = new EventSource('api/v1/stream');
  stream.addEventListener('overview', (event) => {
    state.lost = false;
    state.now = JSON.parse(event.data);
    refresh();
  });
  stream.onerror = () => {
    state.lost = true;
    drawHead();
    if (stream.readyState === EventSource.CLOSED) poll(); // refused: there are too many
  };
}

function close() {
  state.stream?.close();
  clearTimeout(state.polling);
  state.stream = null;
}

async function poll() {
  clearTimeout(state.polling);
  if (state.paused || document.hidden) return;
  try {
    state.now = await get('overview');
    state.lost = false;
    await refresh();
  } catch { state.lost = true; drawHead(); }
  state.polling = setTimeout(poll, 5000);
}

// ---- what a person does ----

function pause() {
  state.paused = !state.paused;
  $('pause').textContent = state.paused ? 'Resume' : 'Pause';
  $('pause').setAttribute('aria-pressed', state.paused);
  if (state.paused) close(); else open();
  drawHead();
}

const themes = ['auto', 'light', 'dark'];

function theme(next) {
  const root = document.documentElement;
  if (next === 'auto') delete root.dataset.theme; else root.dataset.theme = next;
  $('theme').textContent = { auto: 'Theme: auto', light: 'Theme: light', dark: 'Theme: dark' }[next];
  try { localStorage.setItem('gallop-theme', next); } catch { /* private windows have none */ }
}

const themeNow = () => document.documentElement.dataset.theme ?? 'auto';

const actions = {
  sort: (e) => { state.order[place().name] = e.dataset.sort; refresh(); },
  range: (e) => { state.range = Number(e.dataset.range); refresh(); },
  stop: async (e) => {
    if (!confirm('Stop this actor? Its mail becomes dead letters.')) return;
    const answer = await fetch(`api/v1/actor/${e.dataset.id}/stop`, { method: 'POST' });
    state.error = answer.ok ? '' : await answer.text();
    refresh();
  },
};

document.addEventListener('click', (event) => {
  const e = event.target.closest('button[data-act]');
  if (e) actions[e.dataset.act]?.(e);
});

document.addEventListener('submit', (event) => event.preventDefault());

let typing = 0;
document.addEventListener('input', (event) => {
  if (event.target.dataset.act !== 'search') return;
  state.search = event.target.value;
  clearTimeout(typing);
  typing = setTimeout(refresh, 150);
});

const goes = { o: '', l: 'lints', b: 'busiest', w: 'why', a: 'actors', m: 'mutes', d: 'deadletters', t: 'types', s: 'tree', p: 'panics', k: 'asks', n: 'names', g: 'groups', c: 'processes' };
let going = 0;
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  if (going && Date.now() - going < 1500 && goes[event.key] !== undefined) {
    location.hash = '#/' + goes[event.key];
    going = 0;
    event.preventDefault();
    return;
  }
  going = 0;
  if (event.key === 'g') going = Date.now();
  else if (event.key === 'p') pause();
  else if (event.key === 't') theme(themes[(themes.indexOf(themeNow()) + 1) % 3]);
  else if (event.key === '/') {
    event.preventDefault();
    location.hash = '#/actors';
    setTimeout(() => $('q')?.focus(), 400);
  }
});

$('pause').addEventListener('click', pause);
$('theme').addEventListener('click', () => theme(themes[(themes.indexOf(themeNow()) + 1) % 3]));
addEventListener('hashchange', () => { $('main').scrollTo?.(0, 0); scrollTo(0, 0); refresh(); });
addEventListener('resize', () => { clearTimeout(typing); typing = setTimeout(draw, 100); });
document.addEventListener('visibilitychange', open);

let saved = 'auto';
try { saved = localStorage.getItem('gallop-theme') ?? 'auto'; } catch { /* private windows have none */ }
theme(themes.includes(saved) ? saved : 'auto');
drawNav(place());
open();
