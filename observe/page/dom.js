// Elements, and the morphing of what is shown into what is to be shown. Views build plain elements
// anew each second; morph keeps those that are there, and with them focus, selection and scrolling.

const svgTags = new Set(['svg', 'g', 'path', 'line', 'rect', 'circle', 'text', 'polyline', 'title',
  'defs', 'marker', 'a-svg']);

// h makes an element: h('div.big', {title: 'x'}, 'text', child, [children]). Text is never markup.
export function h(spec, attrs, ...children) {
  const [tag, ...classes] = spec.split('.');
  const element = svgTags.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag === 'a-svg' ? 'a' : tag)
    : document.createElement(tag);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'width%') element.setAttribute('data-width', value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

// What a person has changed on the page stays as it is.
const kept = new Set(['open', 'value']);

export function morph(old, now) {
  if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName || key(old) !== key(now)) {
    old.replaceWith(now);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== now.data) old.data = now.data;
    return;
  }
  for (const { name, value } of [...now.attributes]) {
    if (!kept.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!kept.has(name) && name !== 'style' && !now.hasAttribute(name)) old.removeAttribute(name);
  }
  morphChildren(old, [...now.childNodes]);
}

const key = (node) => node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;

export function morphChildren(parent, next) {
  const byKey = new Map();
  for (const child of parent.childNodes) if (key(child) !== null) byKey.set(key(child), child);
  let at = parent.firstChild;
  for (const node of next) {
    const k = key(node);
    const same = k === null ? null : byKey.get(k);
    if (same && same !== at) {
      parent.insertBefore(same, at);
      at = same;
    }
    if (!at) {
      parent.append(node);
      continue;
    }
    if (k !== null && key(at) !== k) { // new: the one here may be wanted later
      parent.insertBefore(node, at);
      continue;
    }
    const following = at.nextSibling;
    morph(at, node);
    at = following;
  }
  while (at) {
    const following = at.nextSibling;
    at.remove();
    at = following;
  }
}

// Widths are set through the object model: the policy of the page allows no style in markup.
export function applyWidths(root) {
  for (const e of root.querySelectorAll('[data-width]')) {
    e.style.inlineSize = e.getAttribute('data-width') + '%';
  }
}
