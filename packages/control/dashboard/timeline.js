/** The threads of a pool on a time line: a row for each worker, its state as pattern, its utilisation as intensity. */
import { byId, setText } from './dom.js';
import { counted, percent, time } from './format.js';
import { GAP_MS, minutesOf } from './history.js';
import { WORKER_STATES } from './sample.js';
import { FONT_PX, Surface } from './surface.js';
import { theme } from './theme.js';
import { drawMark, makeLegend } from './worker-marks.js';

const LABEL_WIDTH = 46;
const AXIS_HEIGHT = 18;
const TOP = 4;
/** Workers that ended stay in sight, but not hundreds of them. */
const MAX_ENDED = 32;
/** How long the first sample of a row reaches back. Milliseconds. */
const FIRST_MS = 1000;

/** Few workers get high rows. */
function rowHeight(rows) {
  if (rows <= 8) return 22;
  if (rows <= 24) return 16;
  return rows <= 72 ? 12 : 8;
}

export class Timeline {
  #box = byId('timeline');
  #summary = byId('timeline-summary');
  #readout = byId('timeline-readout');
  #surface;
  /** Those that say what each worker did: of a pool with many workers, the program has not kept that. */
  #samples = [];
  #now = 0;
  #spanMs = 1;
  #rows = [];
  /** What is being looked at: `{ id, at }`. */
  #cursor;
  #redrawLegend;

  constructor() {
    this.#surface = new Surface(byId('timeline-canvas'), AXIS_HEIGHT, () => this.redraw());
    this.#redrawLegend = makeLegend(byId('timeline-legend'));
    this.#box.tabIndex = 0;
    this.#box.addEventListener('pointermove', (event) => this.#point(event));
    this.#box.addEventListener('pointerleave', () => this.#look(undefined));
    this.#box.addEventListener('blur', () => this.#look(undefined));
    this.#box.addEventListener('keydown', (event) => this.#key(event));
  }

  update(history, now) {
    this.#now = now;
    this.#spanMs = minutesOf(history.samples, now) * 60_000;
    this.#samples = history.samples.filter(({ crew }) => crew !== undefined);
    const { present, ended } = crewsOf(this.#samples);
    this.#rows = [...present, ...ended.slice(0, MAX_ENDED)];
    setText(this.#summary, summaryOf(this.#samples, ended.length));
    this.#surface.height = Math.max(1, this.#rows.length) * rowHeight(this.#rows.length) + TOP + AXIS_HEIGHT;
    this.redraw();
  }

  /** In other colours. */
  recolor() {
    this.#redrawLegend();
    this.redraw();
  }

  redraw() {
    const context = this.#surface.begin();
    if (context === undefined) return;
    const high = rowHeight(this.#rows.length);
    const rowOf = new Map(this.#rows.map((id, row) => [id, row]));
    this.#labels(high);
    this.#axis();
    let before;
    for (const sample of this.#samples) {
      const isGap = before === undefined || sample.at - before > GAP_MS;
      // On whole pixels: half of one, drawn twice, would look like a busier moment.
      const [from, to] = [isGap ? sample.at - FIRST_MS : before, sample.at].map((at) =>
        Math.round(this.#x(at)),
      );
      if (to > LABEL_WIDTH) this.#sample(context, sample.crew, Math.max(from, LABEL_WIDTH), to, high, rowOf);
      before = sample.at;
    }
    this.#mark(context, high);
  }

  #sample(context, { ids, states, busy, loads }, from, to, high, rowOf) {
    for (let i = 0; i < ids.length; i++) {
      const row = rowOf.get(ids[i]);
      if (row === undefined) continue;
      const mark = { state: WORKER_STATES[states[i]], busy: busy[i] / 100, load: loads[i] };
      drawMark(context, mark, { x: from, y: TOP + row * high, wide: to - from, high: high - 2 });
    }
  }

  /** Not each row, where they are lower than the letters. */
  #labels(high) {
    const each = Math.ceil(FONT_PX / high);
    this.#rows.forEach((id, row) => {
      if (row % each !== 0) return;
      this.#surface.text(`${id}`, LABEL_WIDTH - 8, TOP + row * high + (high - 2) / 2 + 0.5, {
        align: 'right',
        baseline: 'middle',
      });
    });
  }

  #axis() {
    const { width, height } = this.#surface;
    const base = height - AXIS_HEIGHT;
    const minutes = this.#spanMs / 60_000;
    for (const [share, label, align] of [
      [1, `−${minutes} min`, 'left'],
      [0.75, '', 'center'],
      [0.5, `−${minutes / 2} min`, 'center'],
      [0.25, '', 'center'],
      [0, 'now', 'right'],
    ]) {
      const x = Math.min(width - 1, this.#x(this.#now - share * this.#spanMs));
      this.#surface.rule(x, 0, x, base + 3);
      this.#surface.text(label, x, height - 3, { align });
    }
  }

  #x(at) {
    const { width } = this.#surface;
    return LABEL_WIDTH + (width - LABEL_WIDTH) * (1 - (this.#now - at) / this.#spanMs);
  }

  #mark(context, high) {
    if (this.#cursor === undefined) return;
    const row = this.#rows.indexOf(this.#cursor.id);
    if (row < 0) return;
    const x = this.#x(this.#cursor.at);
    context.strokeStyle = theme().ink;
    context.lineWidth = 2;
    context.strokeRect(LABEL_WIDTH, TOP + row * high - 1, this.#surface.width - LABEL_WIDTH - 1, high);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.#surface.height - AXIS_HEIGHT);
    context.stroke();
    context.lineWidth = 1;
  }

  #point({ offsetX, offsetY }) {
    const id = this.#rows[Math.floor((offsetY - TOP) / rowHeight(this.#rows.length))];
    const { width } = this.#surface;
    const share = (offsetX - LABEL_WIDTH) / (width - LABEL_WIDTH);
    const sample =
      id === undefined || share < 0 ? undefined : this.#sampleAt(this.#now - this.#spanMs * (1 - share));
    this.#look(sample === undefined ? undefined : { id, at: sample.at });
  }

  #key(event) {
    const samples = this.#samples;
    if (samples.length === 0 || this.#rows.length === 0) return;
    const before = this.#cursor ?? { id: this.#rows[0], at: samples.at(-1).at };
    const row = Math.max(0, this.#rows.indexOf(before.id));
    const moment = Math.max(0, samples.indexOf(this.#sampleAt(before.at)));
    const place = {
      ArrowUp: [row - 1, moment],
      ArrowDown: [this.#cursor === undefined ? row : row + 1, moment],
      ArrowLeft: [row, moment - 1],
      ArrowRight: [row, moment + 1],
      Home: [row, 0],
      End: [row, samples.length - 1],
    }[event.key];
    if (event.key === 'Escape') this.#look(undefined);
    if (place === undefined) return;
    event.preventDefault();
    const [nextRow, nextMoment] = [within(place[0], this.#rows.length), within(place[1], samples.length)];
    this.#look({ id: this.#rows[nextRow], at: samples[nextMoment].at });
  }

  /** The one that was true at that moment. */
  #sampleAt(at) {
    return this.#samples.find((sample) => sample.at >= at && sample.at - at <= GAP_MS);
  }

  #look(cursor) {
    this.#cursor = cursor;
    setText(this.#readout, cursor === undefined ? '' : this.#describe(cursor));
    this.redraw();
  }

  #describe({ id, at }) {
    const crew = this.#sampleAt(at)?.crew;
    const i = crew === undefined ? -1 : crew.ids.indexOf(id);
    const when = `Worker ${id}, ${time(at)}`;
    if (i < 0) return `${when}: not there`;
    const busy = percent(crew.busy[i] / 100);
    return `${when}: ${WORKER_STATES[crew.states[i]]}, event loop ${busy} busy, ${counted(crew.loads[i], 'task')}`;
  }
}

const within = (index, length) => Math.min(length - 1, Math.max(0, index));

/** Who is there now, by id; and who was there and ended, the last first. */
function crewsOf(samples) {
  const present = [...samples.at(-1).crew.ids].sort((a, b) => a - b);
  const ended = new Set();
  for (const { crew } of samples) for (const id of crew.ids) ended.add(id);
  for (const id of present) ended.delete(id);
  return { present, ended: [...ended].sort((a, b) => b - a) };
}

function summaryOf(samples, ended) {
  const { ids, states, busy } = samples.at(-1).crew;
  const byState = WORKER_STATES.map((state, code) => [state, states.filter((each) => each === code).length]);
  const there = byState.filter(([, number]) => number > 0).map(([state, number]) => `${number} ${state}`);
  const started = new Set(ids);
  for (const id of samples[0].crew.ids) started.delete(id);
  const sum = busy.reduce((total, each) => total + each, 0);
  const busiest = busy.indexOf(Math.max(...busy));
  const mean = percent(sum / ids.length / 100);
  const load = [
    '',
    ` Its event loop is ${mean} busy.`,
    ` Event loops are ${mean} busy on average; the busiest is that of worker ${ids[busiest]}, ${percent(busy[busiest] / 100)}.`,
  ][Math.min(2, ids.length)];
  const changes = `Since ${time(samples[0].at)}: ${started.size} started, ${ended} ended.`;
  return `${counted(ids.length, 'worker')}${there.length === 0 ? '' : `: ${there.join(', ')}`}.${load} ${changes}`;
}
