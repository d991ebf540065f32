// Tables sort by their headings; long ones get a filter; packed downloads are unpacked. Without this script
// they are plain tables and .gz files.
'use strict';
for (const table of document.querySelectorAll('table.data')) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];

  const key = (row, column) => {
    const cell = row.cells[column];
    if (!('v' in cell.dataset)) return cell.textContent;
    return cell.dataset.v === '' ? null : Number(cell.dataset.v);
  };
  headings.forEach((heading, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener('click', () => {
      const direction = heading.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', direction);
      const sign = direction === 'ascending' ? 1 : -1;
      rows.sort((a, b) => {
        const x = key(a, column), y = key(b, column);
        if (x === null || y === null) return (x === null) - (y === null);  // absent values stay last
        return sign * (typeof x === 'number' ? x - y : x.localeCompare(y, undefined, { numeric: true }));
      });
      body.append(...rows);
    });
  });

  if (rows.length < 12) continue;
  table.parentElement.classList.add('tall');
  const label = document.createElement('label');
  const input = document.createElement('input');
  const count = document.createElement('output');
  label.className = 'filter';
  input.type = 'search';
  input.placeholder = 'words that a row must contain';
  label.append('Filter ', input, count);
  table.parentElement.before(label);
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  input.addEventListener('input', apply);
  apply();
}

for (const link of document.querySelectorAll('a.packed')) {
  link.addEventListener('click', async (event) => {
    if (!('DecompressionStream' in window)) return;
    event.preventDefault();
    const bytes = Uint8Array.from(atob(link.href.split(',')[1]), (c) => c.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const plain = document.createElement('a');
    plain.download = link.download.replace(/\.gz$/, '');
    plain.href = URL.createObjectURL(await new Response(text, { headers: { 'Content-Type': 'text/csv' } }).blob());
    plain.click();
    setTimeout(() => URL.revokeObjectURL(plain.href), 60000);
  });
}
