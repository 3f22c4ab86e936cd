/*
 * Why this exists: the steps of ../README.md in the orders that nobody thinks of. SPIN tries every one of them;
 * scripts/model.mjs runs it, README.md beside this file lists the configurations and the mistakes.
 *
 * WHAT IS MODELLED. Labels and comments name the README's steps: offer (O), claim (C), begin (B), steal, complete (K),
 * drain, park (P), wake (W), call for workers, main parks (M), spin (S), mail, withdraw, recall, abort, retire, crash
 * (X). One access to shared memory is one step of one process, in any order with the steps of the others. Where CRASHES
 * says so, a worker may die before any of its steps.
 *
 * WHAT MUST HOLD.
 * - The asserts: a task is begun once, by one who has won it, never after it was withdrawn; it is settled once; its
 *   result was written by the one who ran it; its caller is told once, by the slot of its cell, which is free again then; a cell is not given out while a worker may write to it; a completion
 *   ring is never full; at the end nothing is left in the ring, no `spinning` bit is set, and a `parked` bit is set
 *   exactly if its worker sleeps.
 * - No invalid end state: main ends only when all tasks have settled, and only a worker that sleeps, was retired or is
 *   dead may stay where it is. So a lost hint, a lost wake-up and a stall all show up as a main that never ends.
 * - With BLOCKED, main does nothing after it has posted. With PATIENT, a task does not end while another one waits,
 *   could be run, and a worker sleeps that could run it; with ENDLESS tasks never end, and all have to be begun. So a
 *   worker that sleeps through a task is an error even if another one would come by later.
 * - In one configuration, that there are no cycles: whoever has nothing to do goes to sleep.
 *
 * WHAT IS LEFT OUT, and why nothing is lost with it.
 * - Memory is sequentially consistent, as `Atomics` are. Plain accesses are made to cells that `owned` and the asserts
 *   show to be one's own, so they need no steps of their own: O2 and O3 are one step, B3, K1 and K2 are one.
 * - A store to a place that nobody looks at yet shares a step with the store that shows it: `ring[]` with `tail`,
 *   `done[]` with `doneTail` (a channel here), `mail[]` with `mailTail`.
 * - Loads that share a step: `head` and `tail` in C1, and the hints that C3 copies, since they count only if C4 finds
 *   `head` as it was; a bit and the seat that is chosen by it; the claims that one look goes through, since whoever
 *   claims later sees to the rest himself (S3). Elsewhere `tail` is loaded first and `head` later: that sees less.
 * - `wakeups` is not a number: whether it has changed since its worker read it is all that anybody asks. The increment
 *   and the notice are one step where nobody can die between them: a late notice would only wake without a reason,
 *   and a late increment, which is modelled, does that as well.
 * - Counters do not wrap. Ring places and claims that are done with are emptied, so that states which differ in
 *   nothing else are one; a worker that is late copies hint 0 instead of an old one, and any hint may be wrong anyway.
 * - Tasks have no names: where there is one owner and one result for each time a cell is given out, the result is the
 *   task's. `began`, arguments, ports and priorities have no part in who gets what.
 * - A worker runs one task at a time; one that runs several looks like several, with fewer orders.
 * - A main that rests (`mainParked` 2) may be woken for any result, or not, whatever its place in a batch is: only the
 *   timer is relied on. Without RESTS main does not rest. Who may spin is for each to choose here, so that fewer spin is one of the ways.
 * What is left out and may matter: the rule for tiny tasks, with its clock and its dozing workers, by which fewer are
 * woken.
 */

/* ---- a configuration ---- */

#ifndef WORKERS
#define WORKERS 2 /* 2 or 3 */
#endif
#ifndef CELLS
#define CELLS 2 /* 2 or 3; each completion ring has as many places */
#endif
#ifndef RING
#define RING (2 * CELLS) /* places in the ring */
#endif
#ifndef CLAIMS
#define CLAIMS 1 /* how many hints a worker may claim at once: 1 or 2 */
#endif
#ifndef TASKS
#define TASKS 0 /* calls that main has from the beginning */
#endif
#ifndef FRESH
#define FRESH 0 /* calls that come later, also while main sleeps */
#endif
#ifndef MAILED
#define MAILED 0 /* calls for seat 0 and no other; its mailbox has one place */
#endif
#ifndef SPINNERS
#define SPINNERS 0 /* how many workers may spin at once: none, 1, or any number */
#endif
#ifndef WITHDRAWALS
#define WITHDRAWALS 0 /* how often one task is cancelled or taken back */
#endif
#ifndef RECALLS
#define RECALLS 0 /* how often all that lies ready is taken back */
#endif
#ifndef ABORTS
#define ABORTS 0 /* how often a task that seat 0 runs is told to end */
#endif
#ifndef EXPIRIES
#define EXPIRIES 0 /* how many tasks run into their timeout: the caller is told, and the task goes on */
#endif
#ifndef RETIRES
#define RETIRES 0 /* how many workers are retired */
#endif
#ifndef CRASHES
#define CRASHES 0 /* how many workers die */
#endif
#ifndef RETRIES
#define RETRIES 0 /* how many tasks that went down with one are tried again instead of rejected */
#endif
/*
 * PARK_WORKERS, PARK_MAIN: they sleep; without it they know by a miracle when to look.
 * COARSE: claim and steal are one step each, for configurations that are about sleeping.
 * RESTS: main may rest as well as sleep: then workers need not wake it, and a timer does.
 * REPLACE: the seat of a dead worker is given to a new one. DROWSY: all workers but one sleep in the beginning.
 * BLOCKED, PATIENT, ENDLESS: see above.
 */

#define ALL_TASKS (TASKS + FRESH + MAILED)

#define BIT(s) (1 << (s))

#if CELLS == 2
#define EACH_CELL(X) X(0) X(1)
#define ANY_CELL(P) (P(0) || P(1))
#else
#define EACH_CELL(X) X(0) X(1) X(2)
#define ANY_CELL(P) (P(0) || P(1) || P(2))
#endif

#define OTHER1 ((me + 1) % WORKERS)
#define OTHER2 ((me + 2) % WORKERS)
#if WORKERS == 2
#define EACH_SEAT(X) X(0) X(1)
#define ANY_SEAT(P) (P(0) || P(1))
#define EACH_OTHER(X) X(OTHER1)
#define ANY_OTHER(P) P(OTHER1)
#else
#define EACH_SEAT(X) X(0) X(1) X(2)
#define ANY_SEAT(P) (P(0) || P(1) || P(2))
#define EACH_OTHER(X) X(OTHER1) X(OTHER2)
#define ANY_OTHER(P) (P(OTHER1) || P(OTHER2))
#endif

/* ---- the board ---- */

/* Cell.state; whatever is main's own is one phase, since nobody tells the kinds apart */
#define OWN 0
#define POSTED 1
#define POSTED_FOR(s) (4 + (s))
#define RUNNING(s) (8 + (s))
#define ABORTING(s) (12 + (s))

typedef Cell {
  byte state;
  bool result; /* whether K1 has written it */
  byte stamp;  /* part of the state word: which posting of the cell this is; hints name it, too */
  byte task;   /* main's own, and for the asserts: what has become of the task in this cell */
  byte call;   /* main's own: the slot of the table of calls */
  bool owned   /* for the asserts: a worker may write to the cell */
}

/* Cell.task */
#define NONE 0
#define OPEN 1
#define BEGUN 2

/* Cell.call */
#define EMPTY 0
#define HELD 1 /* its caller has not been told */
#define TOLD 2 /* its caller was told, of a timeout, and its task still runs */

typedef Seat {
  byte claims[CLAIMS];
  byte claimed;
  byte wakeups;
  bool retiring;
  byte life
}

/* Seat.wakeups, as its worker sees it */
#define CHANGED 0
#define READ 1   /* it is still what the worker has read */
#define ASLEEP 2 /* so it was in P3; the worker hears of a change only by a notice */

/* Seat.life */
#define ALIVE 0
#define GONE 1
#define VACANT 2

byte tail;
byte head;
byte ring[RING];
byte parked;
byte spinning;
bool mainParked;
bool mainAsleep;
bool mainRests;
Cell cell[CELLS];
Seat seat[WORKERS];
chan done[WORKERS] = [CELLS] of { byte };
#if MAILED
chan mail = [1] of { byte };
#endif

/* main's own: calls without a cell, calls that have settled, and what may still happen to it */
byte waiting = TASKS;
byte mailWaiting = MAILED;
byte fresh = FRESH;
byte settled;
byte withdrawals = WITHDRAWALS;
byte recalls = RECALLS;
byte aborts = ABORTS;
byte expiries = EXPIRIES;
byte retires = RETIRES;
byte crashes = CRASHES;
byte retries = RETRIES;

/* a hint: a cell, and which posting of it */
#define HINT(c) ((cell[c].stamp << 2) | (c))
#define CELL_OF(hint) ((hint) & 3)
#define IS_OF(hint, phase) (cell[CELL_OF(hint)].state == (phase) && cell[CELL_OF(hint)].stamp == (hint) >> 2)
#define WAITS(c) (cell[c].state == POSTED && cell[c].task != NONE)
#define WAITS_FOR_0(c) (cell[c].state == POSTED_FOR(0) && cell[c].task != NONE)
/* to be woken */
#define CHOOSE(s) :: d_step { parked & BIT(s) -> p = s }
#define COUNT(bits) ((bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1))
#define SLEEPS(s) (seat[s].wakeups != CHANGED)
#define IS_GONE(s) (seat[s].life == GONE)
#if defined(ENDLESS)
#define MAY_END false
#elif defined(PATIENT)
#define MAY_END \
  !(((CAN_OFFER || ANY_CELL(WAITS)) && ANY_SEAT(SLEEPS)) || ((CAN_MAIL || ANY_CELL(WAITS_FOR_0)) && SLEEPS(0)))
#else
#define MAY_END true
#endif

#ifdef BLOCKED
#define FREE(c) (c + waiting + mailWaiting == ALL_TASKS) /* none was used before, so they are all alike: in order */
#else
#define FREE(c) (cell[c].task == NONE)
#endif
#ifdef RING_OVERFLOWS
#define HAS_ROOM true
#else
#define HAS_ROOM (tail - head < RING)
#endif

/* whether main can post one of the calls that wait with it */
#define CAN_OFFER (waiting > 0 && HAS_ROOM && ANY_CELL(FREE))
#if MAILED
#define CAN_MAIL (mailWaiting > 0 && len(mail) == 0 && ANY_CELL(FREE))
#else
#define CAN_MAIL false
#endif

/* claims that are worth a look: a cell that is not posted needs nobody any more */
#define NAMES_POSTED(s, j) (j < seat[s].claimed && IS_OF(seat[s].claims[j], POSTED))
#if CLAIMS == 1
#define HAS_CLAIMS(s) NAMES_POSTED(s, 0)
#else
#define HAS_CLAIMS(s) (NAMES_POSTED(s, 0) || NAMES_POSTED(s, 1))
#endif

/* ---- workers ---- */

/* A worker that may die may do so instead of any step. */
#if CRASHES
#define OR_DIES :: d_step { crashes > 0 && settled < ALL_TASKS -> die() } goto end_dead
#else
#define OR_DIES
#endif
#define STEP(...) if :: d_step { __VA_ARGS__ } OR_DIES fi

/* W2, and K3: two steps where the one who takes them can die in between */
#if CRASHES
#define WAKE_UP(s) \
  STEP(seat[s].wakeups = (seat[s].wakeups == READ -> CHANGED : seat[s].wakeups)); \
  STEP(seat[s].wakeups = (seat[s].wakeups == ASLEEP -> CHANGED : seat[s].wakeups); s = 0)
#ifdef RESTS
#define TELL_MAIN \
  if \
  :: d_step { mainParked -> mainParked = false } STEP(mainAsleep = false) \
  :: mainParked && mainRests \
  :: !mainParked \
  OR_DIES \
  fi
#else
#define TELL_MAIN if :: d_step { mainParked -> mainParked = false } STEP(mainAsleep = false) :: !mainParked OR_DIES fi
#endif
#else
#define WAKE_UP(s) STEP(seat[s].wakeups = CHANGED; s = 0)
#ifdef RESTS
#define TELL_MAIN if :: d_step { mainParked -> mainParked = false } :: mainParked && mainRests :: !mainParked fi
#else
#define TELL_MAIN if :: d_step { mainParked -> mainParked = false } :: !mainParked fi
#endif
#endif

/* There is room again, and no completion will say so. */
#if defined(PARK_MAIN) && !defined(DROPPED_IN_SILENCE)
#define DROPPED TELL_MAIN;
#else
#define DROPPED
#endif

inline die() {
  crashes--;
  seat[me].life = GONE;
  seat[me].wakeups = CHANGED;
  if
  :: holds -> cell[c].owned = false
  :: else
  fi;
  holds = false;
  h = 0;
  n = 0;
  i = 0;
  c = 0;
  p = 0;
  q = 0
}

/* C3 */
inline copyIntoClaims() {
  seat[me].claims[0] = ring[h % RING];
#if CLAIMS > 1
  seat[me].claims[1] = (n > 1 -> ring[(h + 1) % RING] : 0);
#endif
  seat[me].claimed = n
}

/* C4, once it has succeeded */
inline moveHead() {
  head = h + n;
  assert(head <= tail);
  ring[h % RING] = 0;
#if CLAIMS > 1
  if
  :: n > 1 -> ring[(h + 1) % RING] = 0
  :: else
  fi;
#endif
  h = 0
}

inline clearClaims(s) {
  seat[s].claimed = 0;
  seat[s].claims[0] = 0;
#if CLAIMS > 1
  seat[s].claims[1] = 0
#endif
}

/* B1, once it has succeeded */
inline begin() {
  assert(cell[c].task == OPEN && !cell[c].owned);
  cell[c].state = RUNNING(me);
  cell[c].task = BEGUN;
  cell[c].owned = true;
  holds = true
}

/* K1 and K2 */
inline complete() {
  assert(cell[c].owned && (cell[c].state == RUNNING(me) || cell[c].state == ABORTING(me)));
  assert(nfull(done[me]));
  cell[c].result = true;
  done[me] ! c;
  holds = false;
#ifndef RELEASE_AFTER_PUBLISH
  cell[c].owned = false;
  c = 0
#endif
}

inline tryToSteal(s, j) {
  if
#ifdef COARSE
  :: d_step { NAMES_POSTED(s, j) -> c = CELL_OF(seat[s].claims[j]); begin() } goto S3
  :: !NAMES_POSTED(s, j)
#else
  :: d_step { j < seat[s].claimed -> c = seat[s].claims[j] }
     if
     :: d_step { IS_OF(c, POSTED) -> c = CELL_OF(c); begin() } goto S3
     :: d_step { !IS_OF(c, POSTED) -> c = 0 }
     OR_DIES
     fi
  :: j >= seat[s].claimed
#endif
  OR_DIES
  fi
}

proctype Worker(byte me) {
  byte h;     /* `head`, as C1 has read it */
  byte n;     /* how many hints it has claimed */
  byte i;     /* how many of them it has looked at */
  byte c;     /* the cell it looks at, or runs */
  byte p;     /* the seat it wakes */
  byte q;     /* `tail`, as it has read it; then how many hints lie there */
  bool holds; /* it has begun c */
#if RETIRES
  bool leaves;
#endif

#ifdef DROWSY
  if
  :: me > 0 -> goto end_asleep
  :: me == 0
  fi;
#endif

Idle:
#if RETIRES
  if
  :: seat[me].retiring -> goto Retire
  :: true /* it hears of it only in its event loop */
  fi;
#endif
#if SPINNERS
S1:
  if
  :: d_step { spinning == 0 || (SPINNERS > 1) -> spinning = spinning | BIT(me) }
  :: true /* no core to spare, or it looks once without */
  OR_DIES
  fi;
#endif

S2:
#if MAILED
Mailbox:
  if
  :: d_step { me == 0 && len(mail) > 0 -> mail ? <c> }
     if
     :: d_step { IS_OF(c, POSTED_FOR(me)) -> c = CELL_OF(c); begin(); mail ? _ } goto S3
     :: d_step { !IS_OF(c, POSTED_FOR(me)) -> c = 0; mail ? _ }
     OR_DIES
     fi;
     DROPPED
     goto Idle
  :: me != 0 || len(mail) == 0
  OR_DIES
  fi;
#endif

#ifdef COARSE
C1:
  if
  :: d_step { head < tail -> h = head; n = 1; copyIntoClaims(); moveHead() }
#if CLAIMS > 1
  :: d_step { head + 1 < tail -> h = head; n = 2; copyIntoClaims(); moveHead() }
#endif
  :: head == tail -> goto Steal
  OR_DIES
  fi;
#else
C1:
#ifdef C1_TAIL_FIRST
  if
  :: d_step { p = tail }
     if
     :: d_step { head != p -> h = head; n = 1; p = 0 }
     :: d_step { head == p -> p = 0 } goto Steal
     fi
  fi;
#else
  if
  :: d_step { head < tail -> h = head; n = 1 }
#if CLAIMS > 1
  :: d_step { head + 1 < tail -> h = head; n = 2 } /* C2 */
#endif
  :: head == tail -> goto Steal
  OR_DIES
  fi;
#endif
#ifndef C4_BEFORE_C3
C3:
  STEP(copyIntoClaims());
#endif
C4:
  if
#ifdef C4_BEFORE_C3
  :: d_step { head == h -> head = h + n }
     STEP(copyIntoClaims(); h = 0)
#else
  :: d_step { head == h -> moveHead() }
#endif
  :: d_step { head != h -> h = 0; n = 0 } goto C1
  OR_DIES
  fi;
#endif
#ifdef CLAIMS_CLEARED_EARLY
  STEP(seat[me].claimed = 0);
#endif
  goto S3; /* C5 */

/* What comes next depends on what it has in hand: a task, claims, or nothing. */
Hold:
#ifdef ENDLESS
end_endless:
#endif
  if
  :: d_step { holds && MAY_END -> complete() }
#ifdef PARK_MAIN
     /* K3 */
     TELL_MAIN;
#endif
#ifdef RELEASE_AFTER_PUBLISH
     STEP(cell[c].state = OWN; cell[c].owned = false; c = 0);
#endif
     goto Hold
#ifdef K3_BEFORE_K2
  :: holds ->
     TELL_MAIN;
     if
     :: d_step { complete() }
     fi;
     goto Hold
#endif
  /* B1 */
#ifdef B1_WITHOUT_EXCHANGE
  :: !holds && i < n && IS_OF(seat[me].claims[i], POSTED) ->
     STEP(c = CELL_OF(seat[me].claims[i]); begin(); i++);
     goto Hold
#else
  :: d_step { !holds && i < n && IS_OF(seat[me].claims[i], POSTED) -> c = CELL_OF(seat[me].claims[i]); begin(); i++ }
     goto Hold
#endif
  :: d_step { !holds && i < n && !IS_OF(seat[me].claims[i], POSTED) -> i++ }
     DROPPED
     goto Hold
  :: d_step { !holds && n > 0 && i == n -> n = 0; i = 0; clearClaims(me) }
     goto Idle
#if RETIRES
  :: !holds && n == 0 && leaves -> goto end_gone
  :: !holds && n == 0 && !leaves -> goto Idle
#else
  :: !holds && n == 0 -> goto Idle
#endif
  OR_DIES
  fi;

Steal:
#if CLAIMS == 1
#define STEAL_FROM(s) tryToSteal(s, 0);
#else
#define STEAL_FROM(s) tryToSteal(s, 0); tryToSteal(s, 1);
#endif
  EACH_OTHER(STEAL_FROM)
  goto S4;

/* Whoever has found work sees to the rest, whether it was spinning or was woken: others may have relied on it. */
S3:
#if SPINNERS && !defined(S3_CLEARS_LAST)
  if
  :: spinning & BIT(me) -> STEP(spinning = spinning & ~BIT(me))
#ifdef S3_ONLY_AFTER_SPIN
  :: !(spinning & BIT(me)) -> goto Hold
#else
  :: !(spinning & BIT(me))
#endif
  fi;
#endif
Call:
#if defined(PARK_WORKERS) && !defined(NO_S3)
  if
  EACH_SEAT(CHOOSE)
  :: parked == 0 -> goto Called
  OR_DIES
  fi;
  STEP(q = tail);
  if
  :: d_step { q > head || n > 1 -> q = (q > head -> q - head : 0) + n - (n > 0) }
  :: d_step { q <= head && n < 2 -> q = 0 }
  OR_DIES
  fi;
#ifndef S3_WITHOUT_OTHERS
  if
  :: d_step { ANY_OTHER(HAS_CLAIMS) -> q++ }
  :: !ANY_OTHER(HAS_CLAIMS)
  OR_DIES
  fi;
#endif
#if !SPINNERS
  if
  :: q > 0
  :: d_step { q == 0 -> p = 0 } goto Called
  fi;
#else
  if
  :: d_step { COUNT(spinning) < q -> q = 0 }
  :: d_step { COUNT(spinning) >= q -> p = 0; q = 0 } goto Called
  OR_DIES
  fi;
#endif
W1:
  if
  :: d_step { parked & BIT(p) -> parked = parked & ~BIT(p); q = 0 }
     WAKE_UP(p) /* W2 */
  :: d_step { !(parked & BIT(p)) -> p = 0; q = 0 }
  OR_DIES
  fi;
Called:
#endif
#ifdef S3_CLEARS_LAST
  STEP(spinning = spinning & ~BIT(me));
#endif
  goto Hold;

S4:
#if SPINNERS && !defined(NO_S4)
  if
  :: spinning & BIT(me) -> STEP(spinning = spinning & ~BIT(me))
  :: !(spinning & BIT(me))
  fi;
#endif

#ifdef PARK_WORKERS
P1:
#ifdef WAKEUPS_READ_LATE
  STEP(parked = parked | BIT(me));
#else
  STEP(seat[me].wakeups = READ; parked = parked | BIT(me));
#endif
P2:
#ifdef RETIRES_IN_BED
  if
  :: leaves -> goto end_asleep
  :: !leaves
  fi;
#endif
#ifndef NO_P2
#if MAILED
  if
  :: me == 0 && len(mail) > 0 -> goto Up
  :: me != 0 || len(mail) == 0
  OR_DIES
  fi;
#endif
  STEP(q = tail);
  if
  :: d_step { head < q -> q = 0 } goto Up
  :: d_step { head >= q -> q = 0 }
  OR_DIES
  fi;
#ifdef P2_COUNTS_STALE_CLAIMS
#define IS_WORTH_A_LOOK(s) (seat[s].claimed > 0)
#else
#define IS_WORTH_A_LOOK(s) HAS_CLAIMS(s)
#endif
#define LOOK_AT_CLAIMS_OF(s) \
  if \
  :: IS_WORTH_A_LOOK(s) -> goto Up \
  :: !IS_WORTH_A_LOOK(s) \
  OR_DIES \
  fi;
#ifndef P2_WITHOUT_CLAIMS
  EACH_OTHER(LOOK_AT_CLAIMS_OF)
#endif
#endif
P3:
#ifdef WAKEUPS_READ_LATE
  STEP(seat[me].wakeups = READ);
#endif
#if CRASHES
  if
  :: d_step { seat[me].wakeups == READ -> seat[me].wakeups = ASLEEP }
  :: seat[me].wakeups == CHANGED
  OR_DIES
  fi;
#endif
end_asleep:
  if
  :: seat[me].wakeups == CHANGED
#if RETIRES
  :: seat[me].retiring && !leaves -> goto Retire
#endif
  OR_DIES
  fi;
#ifdef NO_CLEAR_AFTER_P3
  goto Idle;
#endif
Up:
  STEP(parked = parked & ~BIT(me); seat[me].wakeups = CHANGED);
#ifdef RETIRES_IN_BED
  if
  :: leaves -> goto Retire
  :: !leaves
  fi;
#endif
  goto Idle;
#else
end_miracle:
  if
  :: head != tail || ANY_OTHER(HAS_CLAIMS) -> goto Idle
  OR_DIES
  fi;
#endif

#if RETIRES
/* Nobody is to rely on it any more, and who has done so is helped. */
Retire:
#ifdef RETIRES_IN_BED
  if
  :: leaves -> goto P1
  :: !leaves -> leaves = true; goto S4
  fi;
#else
  leaves = true;
  STEP(parked = parked & ~BIT(me); seat[me].wakeups = CHANGED);
  goto Call;
#endif
#endif

end_dead:
#ifdef REPLACE
  seat[me].life == VACANT;
  seat[me].life = ALIVE;
  goto Idle;
#endif

end_gone:
  false
}

/* ---- main ---- */

/* O1, O2, O3 */
inline post(x, how) {
  c = x;
  cell[c].stamp++;
  assert(cell[c].task == NONE && cell[c].call == EMPTY && !cell[c].owned);
  cell[c].task = OPEN;
  cell[c].call = HELD;
  cell[c].result = false;
#ifndef O4_BEFORE_O3
  cell[c].state = how
#endif
}

/* the cell is main's own again */
inline takeOver(x) {
  cell[x].task = NONE;
  cell[x].state = OWN;
  cell[x].result = false
}

/* the one place where a caller is told, who was told nothing before */
inline settle(x) {
  assert(cell[x].call == HELD);
  settled++;
#ifndef SETTLE_FORGETS_TO_CLEAR
  cell[x].call = EMPTY
#endif
}

inline drain(s) {
  done[s] ? c;
  assert(cell[c].task == BEGUN && cell[c].result && !cell[c].owned);
  if
  :: cell[c].call == TOLD -> cell[c].call = EMPTY
  :: else -> settle(c)
  fi;
  takeOver(c);
  c = 0
}

inline withdraw(x) {
  assert(cell[x].task == OPEN && cell[x].call == HELD && !cell[x].owned);
  cell[x].task = NONE;
  cell[x].call = EMPTY;
  cell[x].state = OWN
}

/* as a worker claims; p: the cells that lay there */
inline claimAll() {
  do
  :: head == tail -> break
  :: head < tail && IS_OF(ring[head % RING], POSTED) ->
     p = p | BIT(CELL_OF(ring[head % RING])); ring[head % RING] = 0; head++
  :: head < tail && !IS_OF(ring[head % RING], POSTED) -> ring[head % RING] = 0; head++
  od;
  skip
}

#define OFFER(x) :: d_step { waiting > 0 && HAS_ROOM && FREE(x) -> waiting--; post(x, POSTED) } goto O4
#define MAIL(x) \
  :: d_step { mailWaiting > 0 && FREE(x) && len(mail) == 0 -> mailWaiting--; post(x, POSTED_FOR(0)) } goto Mail
#define DRAIN(s) :: d_step { nempty(done[s]) -> drain(s) } goto Loop

/* what may happen to main at any time, asleep or not */
#if !WITHDRAWALS
#define WITHDRAW(x)
#elif MAILED
#define WITHDRAW(x) \
  :: d_step { withdrawals > 0 && WAITS_FOR_0(x) -> withdrawals--; withdraw(x); settled++ } goto Loop
#elif defined(WITHDRAW_WITHOUT_EXCHANGE)
#define WITHDRAW(x) \
  :: withdrawals > 0 && WAITS(x) -> if :: d_step { withdrawals--; withdraw(x); settled++ } fi; goto Loop
#else
#define WITHDRAW(x) \
  :: d_step { withdrawals > 0 && WAITS(x) -> withdrawals--; withdraw(x); settled++ } goto Loop \
  :: d_step { withdrawals > 0 && WAITS(x) -> withdrawals--; withdraw(x); waiting++ } goto Loop
#endif
#if ABORTS
#define ABORT(x) \
  :: d_step { aborts > 0 && cell[x].task != NONE && cell[x].state == RUNNING(0) -> \
       aborts--; \
       cell[x].state = ABORTING(0) \
     } goto Loop
#else
#define ABORT(x)
#endif
#if !EXPIRIES
#define EXPIRE(x)
#elif defined(FREED_WHILE_IT_RUNS)
#define EXPIRE(x) \
  :: d_step { expiries > 0 && RUNS(x) -> expiries--; settled++; cell[x].call = EMPTY; takeOver(x) } goto Loop
#else
#define EXPIRE(x) :: d_step { expiries > 0 && RUNS(x) -> expiries--; settled++; cell[x].call = TOLD } goto Loop
#endif
#define RUNS(x) (cell[x].task == BEGUN && cell[x].call == HELD)
#if FRESH
#define CALL :: d_step { fresh > 0 && waiting == 0 -> fresh--; waiting++ } goto Loop
#else
#define CALL
#endif
#if RETIRES
#define RETIRE(s) \
  :: d_step { retires > 0 && !seat[s].retiring -> retires--; seat[s].retiring = true } goto Loop
#else
#define RETIRE(s)
#endif
#if CRASHES
#define EXIT(s) :: d_step { IS_GONE(s) -> p = s } goto X1
#else
#define EXIT(s)
#endif
#if RECALLS
#define RECALL :: d_step { recalls > 0 && head < tail -> recalls--; claimAll() } goto Recalled
#else
#define RECALL
#endif
#define EVENTS EACH_CELL(WITHDRAW) RECALL EACH_CELL(ABORT) EACH_CELL(EXPIRE) CALL EACH_SEAT(RETIRE) EACH_SEAT(EXIT)

proctype Main() {
  byte c;
  byte p;

Loop:
  if
  :: settled == ALL_TASKS && !ANY_SEAT(IS_GONE) -> goto Over
  EACH_CELL(OFFER)
#if MAILED
  EACH_CELL(MAIL)
#endif
#ifdef BLOCKED
  :: waiting == 0 && mailWaiting == 0 -> goto Over
#else
  EACH_SEAT(DRAIN)
  EVENTS
#endif
#ifdef PARK_MAIN
  :: settled < ALL_TASKS && !CAN_OFFER && !CAN_MAIL -> goto M1
#endif
  fi;

O4:
#ifdef O5_BEFORE_O4
  p = parked;
#endif
  if
  :: d_step {
       ring[tail % RING] = HINT(c);
       tail++;
#ifndef O4_BEFORE_O3
       c = 0
#endif
     }
  fi;
#ifdef O4_BEFORE_O3
  if
  :: d_step { cell[c].state = POSTED; c = 0 }
  fi;
#endif
#ifdef PARK_WORKERS
O5:
  if
#ifdef O5_BEFORE_O4
  :: p & BIT(0) -> p = 0
  :: p & BIT(1) -> p = 1
  :: p == 0 -> goto Loop
#else
  EACH_SEAT(CHOOSE)
  :: parked == 0 -> goto Loop
#endif
  fi;
  if
  :: d_step { COUNT(spinning) >= tail - head -> p = 0 } goto Loop
  :: COUNT(spinning) < tail - head
  fi;
#endif

WakeThisOne:
#ifdef PARK_WORKERS
  /* W1 and W2 */
  if
  :: d_step { parked & BIT(p) -> parked = parked & ~BIT(p) }
     if
     :: d_step { seat[p].wakeups = CHANGED; p = 0 }
     fi
  :: d_step { !(parked & BIT(p)) -> p = 0 }
  fi;
#else
  p = 0;
#endif
  goto Loop;

#if MAILED
Mail:
  if
  :: d_step { mail ! HINT(c); c = 0 }
  fi;
  goto WakeThisOne;
#endif

#ifdef PARK_MAIN
M1:
#ifdef NO_X6
  if
  :: mainAsleep -> goto Asleep
  :: !mainAsleep
  fi;
#endif
#ifdef RESTS
  if
  :: mainRests = true
  :: mainRests = false
  fi;
#endif
  mainParked = true;
M2:
#ifndef NO_M2
#define LOOK_AT_COMPLETIONS_OF(s) \
  if \
  :: d_step { nempty(done[s]) -> mainParked = false; drain(s) } goto Loop \
  :: empty(done[s]) \
  fi;
  EACH_SEAT(LOOK_AT_COMPLETIONS_OF)
#endif
#ifndef DROPPED_IN_SILENCE
  if
  :: CAN_OFFER || CAN_MAIL -> mainParked = false; goto Loop
  :: !CAN_OFFER && !CAN_MAIL
  fi;
#endif
M3:
#if CRASHES
  if
  :: d_step { mainParked -> mainAsleep = true }
  :: !mainParked -> goto Loop
  fi;
#endif
#ifdef PARK_WORKERS
M4:
  if
  EACH_SEAT(CHOOSE)
  :: parked == 0 -> goto Asleep
  fi;
  if
  :: d_step { head < tail && (parked & BIT(p)) -> parked = parked & ~BIT(p) }
     if
     :: d_step { seat[p].wakeups = CHANGED; p = 0 }
     fi
  :: d_step { head == tail || !(parked & BIT(p)) -> p = 0 }
  fi;
#endif
Asleep:
  if
#if CRASHES
  :: !mainAsleep -> goto Loop
#else
  :: !mainParked -> goto Loop
#endif
#if defined(RESTS) && !defined(REST_WITHOUT_TIMER)
  :: d_step { mainRests -> mainParked = false; mainAsleep = false; mainRests = false } goto Loop
#endif
  EVENTS
  fi;
#endif

#if RECALLS
Recalled:
#define GIVE_BACK(x) \
  if \
  :: d_step { (p & BIT(x)) && WAITS(x) -> withdraw(x); waiting++ } \
  :: else \
  fi;
  EACH_CELL(GIVE_BACK)
  p = 0;
  goto Loop;
#endif

#if CRASHES
#ifdef X2_FORGETS_ABORTING
#define WENT_DOWN(x) (cell[x].task != NONE && cell[x].state == RUNNING(p))
#else
#define WENT_DOWN(x) (cell[x].task != NONE && (cell[x].state == RUNNING(p) || cell[x].state == ABORTING(p)))
#endif
#define REJECT_OR_RETRY(x) \
  if \
  :: WENT_DOWN(x) -> \
     assert(cell[x].task == BEGUN && !cell[x].owned); \
     takeOver(x); \
     if \
     :: cell[x].call == TOLD -> skip \
     :: cell[x].call != TOLD && retries > 0 -> retries--; waiting++ \
     :: cell[x].call != TOLD && retries == 0 -> settled++ \
     fi; \
     cell[x].call = EMPTY \
  :: else \
  fi;
#ifdef X3_HINTS_ANEW
#define GIVE_OUT_ANEW(j) \
  if \
  :: d_step { NAMES_POSTED(p, j) -> ring[tail % RING] = seat[p].claims[j]; tail++ } \
  :: else \
  fi;
#else
#define GIVE_OUT_ANEW(j) \
  if \
  :: d_step { NAMES_POSTED(p, j) -> withdraw(CELL_OF(seat[p].claims[j])); waiting++ } \
  :: else \
  fi;
#endif
X1:
#ifdef X2_BEFORE_X1
  if
  :: d_step { EACH_CELL(REJECT_OR_RETRY) skip }
  fi;
#endif
  if
  :: d_step {
       do
       :: nempty(done[p]) -> drain(p)
       :: empty(done[p]) -> break
       od
     }
  fi;
X2:
  if
  :: d_step { EACH_CELL(REJECT_OR_RETRY) skip }
  fi;
X3:
#ifndef NO_X3
  GIVE_OUT_ANEW(0)
#if CLAIMS > 1
  GIVE_OUT_ANEW(1)
#endif
#endif
X4:
  parked = parked & ~BIT(p);
  spinning = spinning & ~BIT(p);
  if
  :: d_step { clearClaims(p); seat[p].life = VACANT; p = 0 }
  fi;
  /* X5: whom the dead one has woken halfway, and those who relied on its looking for work, look for themselves */
#ifndef NO_X5
#define ROUSE(s) \
  if \
  :: d_step { seat[s].life == ALIVE -> seat[s].wakeups = CHANGED } \
  :: else \
  fi;
  EACH_SEAT(ROUSE)
#endif
  /* X6: it may have been main that was woken halfway: main parks anew, from M1 */
#ifndef NO_X6
  mainParked = false;
  mainAsleep = false;
#endif
  goto Loop;
#endif

Over:
#if defined(ENDLESS)
#define IS_NOT_BEGUN(c) (cell[c].task != BEGUN)
  !ANY_CELL(IS_NOT_BEGUN);
#elif defined(BLOCKED)
#define AND_COMPLETED(s) + len(done[s])
  ALL_TASKS == 0 EACH_SEAT(AND_COMPLETED);
#endif
  timeout;
  assert(head == tail && spinning == 0);
#define IS_AT_REST(s) assert(seat[s].life != ALIVE || SLEEPS(s) == ((parked & BIT(s)) != 0));
  EACH_SEAT(IS_AT_REST)
  skip
}

init {
  atomic {
#ifdef DROWSY
    parked = (1 << WORKERS) - 2;
    seat[1].wakeups = READ;
#if WORKERS > 2
    seat[2].wakeups = READ;
#endif
#endif
    run Main();
    run Worker(0);
    run Worker(1);
#if WORKERS > 2
    run Worker(2)
#endif
  }
}
