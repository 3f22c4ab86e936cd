/** How a worker finds its next task: in its mailbox, in what it has claimed, in the ring, or in the claims of another worker. */
import { RunTimes, Waker } from '../board.js';
import * as L from '../layout.js';
import { TaskSource } from './task-source.js';

/** How many milliseconds of work a worker claims at once: much more than a claim costs, much less than a user notices. */
const CLAIM_MS = 0.05;

export class Claims extends TaskSource {
  readonly #words = this.board.words;
  readonly #claims = L.claimsOf(this.seat);
  readonly #claimed = L.claimedOf(this.seat);
  readonly #pulledAt = L.pulledOf(this.seat);
  /** By cell: whether the task that runs here came out of the ring. */
  readonly #isPulled = new Uint8Array(this.sizes.cells);
  /** How many hints are claimed, and the next of them. */
  #count = 0;
  #next = 0;
  readonly #times = new RunTimes();
  readonly #waker = new Waker(this.board, this.#times, this.platform.now);
  /** How many hints had come when this worker last went to sleep, and how many tasks out of the ring it has begun since. */
  #tailBefore = 0;
  #begunHere = 0;
  #isSearching = true;
  #isRetired = false;

  ended(cell: number, ms: number): void {
    if (this.#isPulled[cell] === 1) this.#words[this.#pulledAt]!--;
    this.#times.add(ms);
  }

  open(): void {
    if (!this.becomeReady()) this.#isRetired = true;
  }

  retire(): boolean {
    this.#isRetired = true;
    // Others may have relied on this worker, or have woken it for tasks that it will not take.
    if (this.#isSearching) this.#found();
    return this.#next === this.#count;
  }

  begin(now: number): number {
    for (;;) {
      if (this.#next === this.#count && !this.#isRetired) this.#claim();
      const mail = this.mail();
      const hasClaim = this.#next < this.#count;
      if (mail < 0 && !hasClaim) return this.#steal(now);
      // Both are in the order of their calls: the older one goes first.
      if (mail >= 0 && (!hasClaim || this.isOlder(mail, this.#words[this.#claims + this.#next]!))) {
        if (!this.takeMail(mail, now)) continue;
        if (this.#isSearching) this.#found();
        this.#isPulled[L.cellOf(mail)] = 0;
        // This task may run for long, and the tasks that were claimed must not have to wait for it.
        if (hasClaim) this.#waker.callFor(this.#count - this.#next);
        return L.cellOf(mail);
      }
      const cell = this.#takeShared(this.#words[this.#claims + this.#next++]!, now);
      if (this.#next === this.#count) Atomics.store(this.#words, this.#claimed, 0); // not before B1
      if (cell >= 0) return cell;
      this.allowance.give();
    }
  }

  protected hasWork(): boolean {
    return this.#next < this.#count || this.hasNew() || (this.takesMore && this.#claimOfOthers() >= 0);
  }

  protected override hasNew(): boolean {
    return this.mail() >= 0 || (this.takesMore && this.board.length > 0);
  }

  /** True if tasks have come since the worker last slept, and they are tiny, or others took some, so that it cannot know whether they are. */
  protected override isReliedOn(): boolean {
    const tail = Atomics.load(this.#words, L.TAIL);
    const came = (tail - this.#tailBefore) | 0;
    const hasMissed = came !== this.#begunHere;
    this.#tailBefore = tail;
    this.#begunHere = 0;
    return this.takesMore && came !== 0 && (hasMissed || this.#times.areTiny);
  }

  override get hasMoreTiny(): boolean {
    return this.#times.areTiny && (this.#next < this.#count || this.board.length > 0);
  }

  protected override areOthersEnough(): boolean {
    return this.#waker.areOthersEnough;
  }

  protected search(): void {
    this.#isSearching = true;
  }

  protected get takesMore(): boolean {
    return this.allowance.left > 0 && !this.#isRetired;
  }

  /** C1 to C4. */
  #claim(): void {
    for (;;) {
      const head = Atomics.load(this.#words, L.HEAD);
      const length = (Atomics.load(this.#words, L.TAIL) - head) | 0;
      const count = length > 0 ? this.allowance.take(this.#share(length)) : 0;
      if (count === 0) return;
      for (let i = 0; i < count; i++) {
        this.#words[this.#claims + i] = this.#words[L.ringPlace(head + i, this.sizes)]!;
      }
      Atomics.store(this.#words, this.#claimed, count);
      if (Atomics.compareExchange(this.#words, L.HEAD, head, (head + count) | 0) === head) {
        this.#next = 0;
        this.#count = count;
        return;
      }
      Atomics.store(this.#words, this.#claimed, 0);
      this.allowance.give(count);
    }
  }

  /** C2: how many of `length` hints. */
  #share(length: number): number {
    const { averageMs } = this.#times;
    if (averageMs > CLAIM_MS) return 1;
    const fair = Math.ceil(length / (2 * Atomics.load(this.#words, L.SEATS_USED)));
    return Math.min(fair, L.MAX_CLAIM, Math.floor(CLAIM_MS / averageMs));
  }

  /** @param hint out of the ring. Returns the cell; -1: the task has begun elsewhere, or was withdrawn */
  #takeShared(hint: number, now: number): number {
    if (!this.take(hint, L.POSTED_FOR_ALL, now)) return -1;
    if (this.#isSearching) this.#found();
    const cell = L.cellOf(hint);
    this.#isPulled[cell] = 1;
    this.#begunHere++;
    this.#words[this.#pulledAt]!++; // no other thread writes it
    return cell;
  }

  /** S3. Others may have relied on this worker to see to all tasks, or have woken it for one of several. */
  #found(): void {
    this.#isSearching = false;
    this.endSpinning();
    if (!this.board.any(L.PARKED)) return;
    const left = this.#count - this.#next + (this.#claimOfOthers() >= 0 ? 1 : 0);
    this.#waker.call(left);
  }

  #steal(now: number): number {
    if (!this.takesMore) return -1;
    for (;;) {
      const hint = this.#claimOfOthers();
      if (hint < 0 || this.allowance.take() === 0) return -1;
      const cell = this.#takeShared(hint, now);
      if (cell >= 0) return cell;
      this.allowance.give();
    }
  }

  /** The first hint that another worker has claimed and whose task has not begun; -1: none. */
  #claimOfOthers(): number {
    const seats = Atomics.load(this.#words, L.SEATS_USED);
    for (let other = 0; other < seats; other++) {
      if (other === this.seat) continue;
      const count = Math.min(L.MAX_CLAIM, Atomics.load(this.#words, L.claimedOf(other)));
      for (let i = 0; i < count; i++) {
        const hint = this.#words[L.claimsOf(other) + i]!;
        if (L.isPosted(this.cells, hint, L.POSTED_FOR_ALL)) return hint;
      }
    }
    return -1;
  }
}
