// Charts over time: an area with axes, and a sparkline. Drawn as SVG, without styles in markup.

import { h } from './dom.js';

// niceTop is the end of an axis from 0 that has round steps.
export function niceTop(most) {
  if (!(most > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(most));
  for (const step of [1, 2, 2.5, 5, 10]) if (most <= step * size) return step * size;
  return 10 * size;
}

const line = (points) => points.map(([x, y], i) => (i ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1)).join('');

// spark is a small line without axes; a person reads the figure beside it.
export function spark(values, width = 120, height = 28) {
  const top = Math.max(...values, 0) || 1;
  const points = values.map((v, i) => [
    values.length > 1 ? (i / (values.length - 1)) * width : width, height - 2 - (v / top) * (height - 4)]);
  const d = points.length > 1 ? line(points) : '';
  return h('svg.spark', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    d && h('path.fill', { d: `${d}L${width} ${height}L0 ${height}Z` }), h('path.line', { d }));
}

const margin = { left: 52, right: 8, top: 10, bottom: 22 };

// area draws columns of figures over time. width is that of the place where it goes.
export function area({ label, at, values, most, top, format, width, height = 170 }) {
  const right = width - margin.right, bottom = height - margin.bottom;
  const end = top ?? niceTop(Math.max(...values, ...(most ?? []), 0));
  const first = at[0] ?? 0, last = at[at.length - 1] ?? 1;
  const x = (t) => last > first ? margin.left + ((t - first) / (last - first)) * (right - margin.left) : right;
  const y = (v) => bottom - (Math.min(v, end) / end) * (bottom - margin.top);
  const points = values.map((v, i) => [x(at[i]), y(v)]);
  const d = points.length > 1 ? line(points) : '';
  const upper = most && most.length > 1 ? line(most.map((v, i) => [x(at[i]), y(v)])) : '';
  return h('svg.chart', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'data-chart': label,
    'aria-label': `${label}: now ${values.length ? format(values[values.length - 1]) : 'nothing yet'}, ` +
      `highest ${format(Math.max(0, ...values))}`,
  },
  [0, 0.5, 1].map((part) => [
    h('line.grid', { x1: margin.left, x2: right, y1: y(part * end), y2: y(part * end) }),
    h('text.tick', { x: margin.left - 8, y: y(part * end) + 4, 'text-anchor': 'end' }, format(part * end)),
  ]),
  timeTicks(first, last, width).map((t) => h('text.tick', { x: x(t), y: height - 5, 'text-anchor': 'middle' },
    new Date(t * 1000).toLocaleTimeString('en-GB', last - first > 300 ? { hour: '2-digit', minute: '2-digit' } : {}))),
  upper && h('path.upper', { d: upper }),
  d && h('path.fill', { d: `${d}L${right} ${bottom}L${margin.left} ${bottom}Z` }),
  h('path.line', { d }),
  points.length && h('circle.now', { cx: points[points.length - 1][0], cy: points[points.length - 1][1], r: 3 }),
  points.length < 2 && h('text.tick', { x: width / 2, y: height / 2 - 12, 'text-anchor': 'middle' },
    'The chart begins now, and grows while this page is open.'));
}

function timeTicks(first, last, width) {
  const span = last - first;
  const room = Math.max(1, Math.floor((width - 60) / 110));
  const step = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].find((s) => span / s <= room) ?? 3600;
  const ticks = [];
  for (let t = Math.ceil(first / step) * step; t <= last; t += step) {
    if (span > 0 && (t - first) / span > 0.03 && (last - t) / span > 0.05) ticks.push(t);
  }
  return ticks;
}
