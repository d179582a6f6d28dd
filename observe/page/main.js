// The page: where it is, the requests that it makes, and what a person does to it.

import { applyWidths, h, morphChildren } from './dom.js';
import { count, duration } from './format.js';
import { groups, views } from './views.js';

const $ = (id) => document.getElementById(id);
const state = { now: null, past: null, data: null, route: '', range: 300, order: {}, search: '', paused: false, error: '', asked: {}, fresh: Date.now(), looking: 0, drawing: 0 };

function place() {
  const [name = '', id = ''] = location.hash.replace(/^#\/?/, '').split('/');
  return views[name] ? { name, id: name === 'actor' || name === 'process' ? id.replace(/\D/g, '') : '' } : { name: '', id: '' };
}

const patience = 10_000; // ms until a request is given up
const stale = 3; // seconds until a picture is old

const get = async (path) => {
  const answer = await fetch('api/v1/' + path, { headers: { Accept: 'application/json' }, cache: 'no-store', signal: AbortSignal.timeout(patience) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
};

// routeOf is what the view needs from the API, '' if it needs nothing more than the overview.
function routeOf(view, at) {
  if (typeof view.route === 'function') return view.route(at);
  return view.route ? view.route + (view.query?.({ order: orderOf(view, at), search: state.search }) ?? '') : '';
}

const orderOf = (view, at) => state.order[at.name] ?? view.order ?? '';

// pull asks for a part of the picture, unless that is under way. An answer counts while nothing else
// is asked for in its place.
async function pull(part, path) {
  if (state.asked[part] === path) return;
  state.asked[part] = path;
  let error = '';
  try {
    const answer = await get(path);
    if (state.asked[part] !== path) return;
    if (part === 'now' && answer.system.at !== state.now?.system.at) state.fresh = Date.now();
    state[part] = answer;
  } catch (problem) {
    if (state.asked[part] !== path) return;
    error = String(problem.message ?? problem).replace(/^gallop: observe: /, '');
  }
  state.asked[part] = '';
  if (part === 'data' || !state.now) state.error = error;
  if (!state.drawing) state.drawing = setTimeout(draw, 30); // together with other answers
}

// refresh asks for all that the view needs.
function refresh() {
  const at = state.at = place(), view = views[at.name], route = routeOf(view, at);
  const key = at.name + '/' + at.id;
  const other = state.shown !== key;
  if (other) Object.assign(state, { shown: key, data: null, error: '' });
  if (!state.paused || !state.now) pull('now', 'overview');
  if (view.past) pull('past', 'history?seconds=' + state.range);
  if (route) pull('data', route); else state.asked.data = '';
  if (other) draw(); else drawHead();
}

function draw() {
  state.drawing = 0;
  // Not where the address says: what is there now may be for the page before.
  const at = state.at ?? place(), view = views[at.name];
  drawNav(at);
  drawHead();
  const s = state.now?.system, part = location.pathname.replace(/^\/|\/$/g, '');
  const subject = view.name?.(state.data) ?? (view.title === 'Overview' ? '' : view.title);
  document.title = [s && s.health !== 'ok' ? words[s.health] : '', subject, s ? s.program + (part ? ` /${part}` : '') : part, s && `${s.host}, ${s.pid}`, 'gallop'].filter(Boolean).join(' · ');
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
  const was = $('nav').querySelector('[aria-current]')?.dataset.key;
  morphChildren($('nav'), groups.map(([title, list]) => h('div.group', { 'data-key': title }, h('p', { 'aria-hidden': 'true' }, title), Object.entries(list).map(link))));
  const shown = $('nav').querySelector('[aria-current]');
  if (shown && shown.dataset.key !== was) $('nav').scrollTo({ left: shown.offsetLeft - ($('nav').clientWidth - shown.offsetWidth) / 2 }); // on a phone it is a row
}

const words = { ok: 'healthy', check: 'to check', warn: 'warning' };

function drawHead() {
  const s = state.now?.system;
  if (!s) return;
  const word = words[s.health] ?? s.health;
  morphChildren($('brand'), [h('bdi.clip', { title: s.program }, s.program), h('small.clip', { title: `process ${s.pid} on ${s.host}` }, `${s.pid} on ${s.host}`)]);
  const old = state.paused ? 0 : Math.round((Date.now() - state.fresh) / 1000);
  const live = state.paused ? 'paused' : s.ended ? 'the system has ended' : old > stale ? duration(old) + ' old' : '';
  morphChildren($('headline'), [h('span.pill.' + (old > stale ? 'wait' : s.health), null, (old > stale ? 'was ' : '') + word), live && h('span.pill.wait', null, live), h('bdi.clip', { title: s.headline }, s.headline)]);
  morphChildren($('foot'), [h('p', null, `Looked at for ${duration(Math.round(s.seconds))}, since ${new Date(s.since).toLocaleTimeString('en-GB')}; nothing is known of the time before. `,
    h('a', { href: 'api/v1/' }, 'The same as text and JSON'), '. ',
    s.flight && ['Flight recorder: ', h('a', { href: 'flight?as=text', download: '' }, 'text'), ', ', h('a', { href: 'flight?as=json', download: '' }, 'JSON'), '. '], 'Keys: ', h('kbd', null, 'g'), ' then ', h('kbd', null, 'o l b a m w d'), ' go, ', h('kbd', null, '/'), ' search, ', h('kbd', null, 'p'), ' pause, ', h('kbd', null, 't'), ' theme.')]);
}

// ---- the looks ----

// A window that is seen asks once a second. A stream would hold one of the six connections that a
// browser has for all windows of a page.
function look() {
  clearInterval(state.looking);
  if (state.paused || document.hidden) return;
  state.looking = setInterval(refresh, 1000);
  refresh();
}

// ---- what a person does ----

function pause() {
  state.paused = !state.paused;
  $('pause').textContent = state.paused ? 'Resume' : 'Pause';
  $('pause').setAttribute('aria-pressed', state.paused);
  look();
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
    const answer = await fetch(`api/v1/actor/${e.dataset.id}/stop`, { method: 'POST', signal: AbortSignal.timeout(patience) });
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
document.addEventListener('visibilitychange', look);

let saved = 'auto';
try { saved = localStorage.getItem('gallop-theme') ?? 'auto'; } catch { /* private windows have none */ }
theme(themes.includes(saved) ? saved : 'auto');
drawNav(place());
look();
