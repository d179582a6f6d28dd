// A layered picture of who waits for whom: those that are waited for stand on the right. Layers by
// the longest way, orders by the mean of the neighbours, twice. Circles are cut where they are met.

import { h } from './dom.js';

const box = { width: 190, height: 42, gapX: 70, gapY: 14 };

export function waitGraph(edges, circles, label) {
  const nodes = new Map();
  const note = (a) => {
    if (!nodes.has(a.id)) nodes.set(a.id, { actor: a, out: [], in: [], layer: 0 });
    return nodes.get(a.id);
  };
  for (const e of edges) {
    const from = note(e.from), to = note(e.to);
    if (from !== to) {
      from.out.push(to);
      to.in.push(from);
    }
  }
  const layers = layered([...nodes.values()]);
  place(layers);
  const inCircle = new Set(circles.flat().map((a) => a.id));
  const width = layers.length * (box.width + box.gapX) - box.gapX + 60;
  const height = Math.max(...layers.map((l) => l.length)) * (box.height + box.gapY) + (circles.length ? 48 : 20);
  return h('svg.graph', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': label },
    h('defs', null, h('marker', { id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      h('path.tip', { d: 'M0 0L8 4L0 8Z' }))),
    edges.map((e) => arrow(nodes.get(e.from.id), nodes.get(e.to.id), inCircle.has(e.from.id) && inCircle.has(e.to.id), e)),
    [...nodes.values()].map((n) => card(n, inCircle.has(n.actor.id))));
}

// layered puts each node left of those that it waits for.
function layered(nodes) {
  const state = new Map();
  const depth = (n) => {
    if (state.get(n) === 'open') return -1; // a circle: cut here
    if (state.has(n)) return state.get(n);
    state.set(n, 'open');
    let d = 0;
    for (const to of n.out) d = Math.max(d, depth(to) + 1);
    state.set(n, d);
    return d;
  };
  let most = 0;
  for (const n of nodes) most = Math.max(most, depth(n));
  const layers = Array.from({ length: most + 1 }, () => []);
  for (const n of nodes) layers[n.layer = most - state.get(n)].push(n);
  return layers;
}

function place(layers) {
  layers.forEach((layer) => layer.forEach((n, i) => { n.order = i; }));
  const mean = (list, otherwise) => list.length ? list.reduce((s, n) => s + n.order, 0) / list.length : otherwise;
  for (let round = 0; round < 4; round++) {
    const list = round % 2 ? layers : [...layers].reverse();
    for (const layer of list) {
      layer.sort((a, b) => mean(round % 2 ? a.in : a.out, a.order) - mean(round % 2 ? b.in : b.out, b.order));
      layer.forEach((n, i) => { n.order = i; });
    }
  }
  const rows = Math.max(...layers.map((l) => l.length));
  layers.forEach((layer, x) => layer.forEach((n, i) => {
    n.x = 30 + x * (box.width + box.gapX);
    n.y = 10 + (i + (rows - layer.length) / 2) * (box.height + box.gapY);
  }));
}

function arrow(from, to, bad, edge) {
  const y1 = from.y + box.height / 2, y2 = to.y + box.height / 2;
  let d;
  if (from === to) {
    const x = from.x + box.width - 40;
    d = `M${x} ${from.y}C${x} ${from.y - 22} ${x + 34} ${from.y - 22} ${x + 34} ${from.y - 1}`;
  } else if (from.x < to.x) {
    const x1 = from.x + box.width, mid = (x1 + to.x) / 2;
    d = `M${x1} ${y1}C${mid} ${y1} ${mid} ${y2} ${to.x - 1} ${y2}`;
  } else { // backwards: round the bottom
    const x1 = from.x + box.width / 2, x2 = to.x + box.width / 2, low = Math.max(from.y, to.y) + box.height;
    d = `M${x1} ${from.y + box.height}C${x1} ${low + 34} ${x2} ${low + 34} ${x2} ${to.y + box.height + 1}`;
  }
  return h('path.edge' + (bad ? '.bad' : ''), { d, 'marker-end': 'url(#tip)' },
    h('title', null, `${name(edge.from)} waits for ${name(edge.to)}` + (edge.behaviour ? ` in ${edge.behaviour}` : '')));
}

const name = (a) => a.type + '#' + a.id + (a.name ? ` (${a.name})` : '');

const clip = (text, most) => [...text].length > most ? [...text].slice(0, most - 1).join('') + '…' : text;

function card(n, bad) {
  const a = n.actor;
  const below = [a.queued ? (a.queued_more ? a.queued + '+' : a.queued) + ' queued' : '', a.overloaded && 'overloaded', a.muted && 'muted']
    .filter(Boolean).join(', ') || a.status || '';
  return h('a-svg', { href: '#/actor/' + a.id, class: 'node' + (bad ? ' bad' : ''), 'data-key': 'n' + a.id },
    h('title', null, name(a)),
    h('rect', { x: n.x, y: n.y, width: box.width, height: box.height, rx: 7 }),
    h('text', { x: n.x + 10, y: n.y + 18 }, clip(a.name || a.type, 23 - String(a.id).length) + ' #' + a.id),
    h('text.below', { x: n.x + 10, y: n.y + 34 }, clip(below, 30)));
}
