// Numbers and times for people. A missing figure is a dash.

const units = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

export function count(n) {
  if (n === undefined || n === null) return '–';
  for (const [size, unit] of units) {
    if (n >= size * (unit === 'k' ? 10 : 1)) return digits(n / size) + ' ' + unit;
  }
  return n >= 100 || Number.isInteger(n) ? Math.round(n).toLocaleString('en') : digits(n);
}

export const rate = (n) => n > 0 && n < 0.1 ? '< 0.1' : count(n);

function digits(x) {
  if (x >= 100) return x.toFixed(0);
  if (x >= 10) return x.toFixed(1);
  return x.toFixed(2);
}

export const percent = (x) => x > 0 && x < 0.01 ? '< 1 %' : Math.round(100 * x) + ' %';

export function duration(s) {
  if (s === undefined || s === null) return '–';
  if (s === 0) return '0 s';
  if (s < 1e-3) return (s * 1e6).toFixed(s < 1e-5 ? 1 : 0) + ' µs';
  if (s < 1) return (s * 1e3).toFixed(s < 1e-2 ? 1 : 0) + ' ms';
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min' + (s % 60 >= 1 && s < 600 ? ' ' + Math.floor(s % 60) + ' s' : '');
  return (s / 3600).toFixed(1) + ' h';
}

export function bytes(n) {
  if (n < 1024) return n + ' B';
  if (n < 1 << 20) return digits(n / 1024) + ' KiB';
  return digits(n / (1 << 20)) + ' MiB';
}

export function clock(time) {
  const d = new Date(time);
  return isNaN(d) ? '–' : d.toLocaleTimeString('en-GB');
}

export const lasted = (since, now) => duration(Math.max(0, Math.round((new Date(now) - new Date(since)) / 1000)));

export const ago = (time, now) => duration(Math.max(0, (new Date(now) - new Date(time)) / 1000)) + ' ago';

export const plural = (n, one, many) => count(n) + ' ' + (n === 1 ? one : many ?? one + 's');

export const queued = (a) => a.queued_more ? count(a.queued) + '+' : count(a.queued);
