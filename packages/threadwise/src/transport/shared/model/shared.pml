/*
 * Why this exists: the steps of ../README.md in an order that nobody thought of. SPIN goes through all of them.
 */

/* ---- size of a configuration (scripts/model.mjs sets these) ---- */

#ifndef WORKERS
#define WORKERS 2 /* 2 or 3 */
#endif
#ifndef CELLS
#define CELLS 2 /* 1 to 3; the ring and each completion ring have as many places */
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
#define MAILED 0 /* calls for seat 0 and no other, from the beginning */
#endif
#ifndef SPINNERS
#define SPINNERS 0 /* how many workers may spin at once (S1) */
#endif
#ifndef WITHDRAWALS
#define WITHDRAWALS 0
#endif
#ifndef ABORTS
#define ABORTS 0
#endif
#ifndef RETIRES
#define RETIRES 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef RETRIES
#define RETRIES 0 /* how many tasks of a crashed worker are posted again instead of rejected */
#endif
/*
 * Switches: PARK_WORKERS, PARK_MAIN: they sleep as the README says; without it they look all the time.
 * PATIENT: a task does not end while a posted task waits and a worker sleeps that could run it.
 * BLOCKED: main does nothing any more once it has posted everything.
 * COARSE: claim (C1-C4) and steal are one step each. REPLACE: a dead worker's seat is given to a new one.
 */

#define ALL_TASKS (TASKS + FRESH + MAILED)
#define RING CELLS

/* ---- the board ---- */

/* phases of a cell; everything that is main's own is one phase, since nobody tells the kinds apart */
#define OWN 0
#define POSTED 1
#define POSTED_FOR(s) (4 + (s))
#define RUNNING(s) (8 + (s))
#define ABORTING(s) (12 + (s))

/* what `wakeups` is for the one who waits for it to change */
#define CHANGED 0
#define READ 1   /* he has read it, and it is still what he has read */
#define ASLEEP 2 /* he is in the list of those who are to be notified */

typedef Cell {
  byte state;
  bool result; /* K1 has written it */
  byte passed; /* main's own: where `head` has to be before the cell is given out again */
  byte task;   /* checks only: what the caller would say of the task in this cell */
  bool owned;  /* checks only: a worker may still write to the cell */
}

typedef Seat {
  byte claims[CLAIMS];
  byte claimed;
  byte wakeups;
  bool retiring;
  byte life;
}

/* Cell.task */
#define NONE 0
#define OPEN 1
#define BEGUN 2

/* Seat.life: whether the thread is there */
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
Cell cell[CELLS];
Seat seat[WORKERS];
chan done[WORKERS] = [CELLS] of { byte };
#if MAILED
chan mail = [1] of { byte };
#endif

/* main's own: calls that have no cell, calls that have settled, and what may still happen */
byte waiting = TASKS;
byte mailWaiting = MAILED;
byte fresh = FRESH;
byte settled;
byte withdrawals = WITHDRAWALS;
byte aborts = ABORTS;
byte retires = RETIRES;
byte crashes = CRASHES;
byte retries = RETRIES;

/* ---- abbreviations ---- */

#define BIT(s) (1 << (s))
#define NEXT1 ((me + 1) % WORKERS)
#define NEXT2 ((me + 2) % WORKERS)

#if CELLS == 1
#define EACH_CELL(X) X(0)
#define ANY_CELL(P) P(0)
#elif CELLS == 2
#define EACH_CELL(X) X(0) X(1)
#define ANY_CELL(P) (P(0) || P(1))
#else
#define EACH_CELL(X) X(0) X(1) X(2)
#define ANY_CELL(P) (P(0) || P(1) || P(2))
#endif
#if WORKERS == 2
#define EACH_SEAT(X) X(0) X(1)
#define ANY_SEAT(P) (P(0) || P(1))
#else
#define EACH_SEAT(X) X(0) X(1) X(2)
#define ANY_SEAT(P) (P(0) || P(1) || P(2))
#endif

/* claims that are worth a look: a cell that is not posted needs nobody any more */
#define NAMES_POSTED(s, j) (j < seat[s].claimed && cell[seat[s].claims[j]].state == POSTED)
#if CLAIMS == 1
#define HAS_CLAIMS(s) NAMES_POSTED(s, 0)
#else
#define HAS_CLAIMS(s) (NAMES_POSTED(s, 0) || NAMES_POSTED(s, 1))
#endif

#define WAITS(c) (cell[c].state == POSTED && cell[c].task != NONE)
#define WAITS_FOR_0(c) (cell[c].state == POSTED_FOR(0) && cell[c].task != NONE)
#define SLEEPS(s) (seat[s].wakeups != CHANGED)
#ifdef PATIENT
#define MAY_END !((ANY_CELL(WAITS) && ANY_SEAT(SLEEPS)) || (ANY_CELL(WAITS_FOR_0) && SLEEPS(0)))
#else
#define MAY_END true
#endif

/* ---- workers ---- */

/*
 * One access to shared memory. A worker that can die can die instead of any of them. What is true until this very
 * worker changes it, or what nobody else can see yet, may share a step with the next access.
 */
#if CRASHES
#define OR_DIES :: d_step { crashes > 0 && settled < ALL_TASKS -> die() } goto end_dead
#else
#define OR_DIES
#endif
#define STEP(...) if :: d_step { __VA_ARGS__ } OR_DIES fi

/* W2, and its like for main. That the notice comes later matters only if the one who gives it can die before. */
#if CRASHES
#define WAKE_UP(s) \
  STEP(seat[s].wakeups = (seat[s].wakeups == READ -> CHANGED : seat[s].wakeups)); \
  STEP(seat[s].wakeups = (seat[s].wakeups == ASLEEP -> CHANGED : seat[s].wakeups); s = 0)
#define TELL_MAIN \
  if \
  :: d_step { mainParked -> mainParked = false } \
     STEP(mainAsleep = false) \
  :: !mainParked \
  OR_DIES \
  fi
#else
#define WAKE_UP(s) STEP(seat[s].wakeups = CHANGED; s = 0)
#define TELL_MAIN if :: d_step { mainParked -> mainParked = false; mainAsleep = false } :: !mainParked fi
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
  p = 0
}

inline begin() {
  assert(cell[c].task == OPEN && !cell[c].owned);
  cell[c].state = RUNNING(me);
  cell[c].task = BEGUN;
  cell[c].owned = true;
  holds = true
}

inline tryToSteal(s, j) {
  if
#ifdef COARSE
  :: d_step { NAMES_POSTED(s, j) -> c = seat[s].claims[j]; begin() } goto S3
  :: !NAMES_POSTED(s, j)
#else
  :: d_step { j < seat[s].claimed -> c = seat[s].claims[j] }
     if
     :: d_step { cell[c].state == POSTED -> begin() } goto S3
     :: d_step { cell[c].state != POSTED -> c = 0 }
     OR_DIES
     fi
  :: j >= seat[s].claimed
#endif
  OR_DIES
  fi
}

/* the places are emptied when they are passed, so that states that differ in nothing else are one */
inline pass(h, n) {
  head = h + n;
  assert(head <= tail);
  ring[h % RING] = 0;
#if CLAIMS > 1
  if
  :: n > 1 -> ring[(h + 1) % RING] = 0
  :: else
  fi
#endif
}

inline copyIntoClaims() {
  seat[me].claims[0] = ring[h % RING];
#if CLAIMS > 1
  seat[me].claims[1] = (n > 1 -> ring[(h + 1) % RING] : 0);
#endif
  seat[me].claimed = n
}

inline clearClaims(s) {
  seat[s].claimed = 0;
  seat[s].claims[0] = 0;
#if CLAIMS > 1
  seat[s].claims[1] = 0
#endif
}

proctype Worker(byte me) {
  byte h;     /* head, as C1 has read it */
  byte n;     /* how many it has claimed */
  byte i;     /* how many of them it has looked at */
  byte c;     /* the cell that it runs or looks at */
  byte p;     /* parked, as it has read it; then the seat to be woken */
  bool holds; /* it has begun c */
#if RETIRES
  bool leaves;
#endif

Idle:
#if SPINNERS
S1:
  if
  :: d_step { spinning == 0 || (SPINNERS > 1) -> spinning = spinning | BIT(me) }
  :: true /* no core to spare, or it looks once before it spins */
  OR_DIES
  fi;
#endif

S2:
#if RETIRES
  if
#ifdef RETIRE_WITHOUT_LOOK
  :: seat[me].retiring -> STEP(spinning = spinning & ~BIT(me)); goto end_gone
#else
  :: seat[me].retiring -> leaves = true; goto S3
#endif
  :: !seat[me].retiring
  OR_DIES
  fi;
#endif
#if MAILED
Mail:
  if
  :: d_step { me == 0 && len(mail) > 0 -> mail ? <c> }
     if
     :: d_step { cell[c].state == POSTED_FOR(me) -> begin(); mail ? _ } goto S3
     :: d_step { cell[c].state != POSTED_FOR(me) -> c = 0; mail ? _ }
     OR_DIES
     fi;
#if defined(PARK_MAIN) && !defined(STALE_MAIL_IN_SILENCE)
     TELL_MAIN;
#endif
     goto Idle
  :: me != 0 || len(mail) == 0
  OR_DIES
  fi;
#endif

C1:
#ifdef COARSE
  if
  :: d_step { head < tail -> h = head; n = 1; copyIntoClaims(); pass(h, n); h = 0 }
#if CLAIMS > 1
  :: d_step { head + 1 < tail -> h = head; n = 2; copyIntoClaims(); pass(h, n); h = 0 }
#endif
  :: head == tail -> goto Steal
  OR_DIES
  fi;
#else
  if
#ifdef TAIL_FIRST
  :: d_step { p = tail }
     if
     :: d_step { head != p -> h = head; n = 1; p = 0 }
     :: d_step { head == p -> p = 0 } goto Steal
     OR_DIES
     fi
#else
  :: d_step { head < tail -> h = head; n = 1 }
#if CLAIMS > 1
  :: d_step { head + 1 < tail -> h = head; n = 2 }
#endif
  :: head == tail -> goto Steal
#endif
  OR_DIES
  fi;
#ifndef CLAIM_BEFORE_COPY
C3:
  STEP(copyIntoClaims());
C4:
  if
  :: d_step { head == h -> pass(h, n); h = 0 }
  :: d_step { head != h -> h = 0; n = 0 } goto C1
  OR_DIES
  fi;
#else
  if
  :: d_step { head == h -> head = h + n }
  :: d_step { head != h -> h = 0; n = 0 } goto C1
  OR_DIES
  fi;
  STEP(copyIntoClaims(); h = 0);
#endif
#endif
  goto S3;

/* Begin, run and complete: what comes next depends on what it has in hand. */
Hold:
  if
  /* B1 */
#ifdef BEGIN_WITHOUT_EXCHANGE
  :: !holds && i < n && cell[seat[me].claims[i]].state == POSTED -> STEP(c = seat[me].claims[i]; begin(); i++)
#else
  :: d_step { !holds && i < n && cell[seat[me].claims[i]].state == POSTED ->
       c = seat[me].claims[i];
       begin();
       i++
     }
#endif
  :: d_step { !holds && i < n && cell[seat[me].claims[i]].state != POSTED -> i++ }
  :: d_step { !holds && n > 0 && i == n -> n = 0; i = 0; clearClaims(me) } goto Idle
#if RETIRES
  :: !holds && n == 0 && leaves -> goto end_gone
  :: !holds && n == 0 && !leaves -> goto Idle
#else
  :: !holds && n == 0 -> goto Idle
#endif
  /* B3, K1, K2 */
#ifdef K3_BEFORE_K2
  :: holds ->
     TELL_MAIN;
     STEP(cell[c].result = true; cell[c].owned = false; done[me] ! c; c = 0; holds = false)
#else
  :: d_step { holds && MAY_END ->
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
#ifdef PARK_MAIN
     /* K3 */
     TELL_MAIN;
#endif
#ifdef RELEASE_AFTER_PUBLISH
     STEP(cell[c].state = OWN; cell[c].owned = false; c = 0)
#endif
#endif
  OR_DIES
  fi;
  goto Hold;

Steal:
  tryToSteal(NEXT1, 0);
#if CLAIMS > 1
  tryToSteal(NEXT1, 1);
#endif
#if WORKERS > 2
  tryToSteal(NEXT2, 0);
#if CLAIMS > 1
  tryToSteal(NEXT2, 1);
#endif
#endif
  goto S4;

S3:
#if SPINNERS && !defined(CLEAR_AFTER_LOOK)
  if
  :: spinning & BIT(me) -> STEP(spinning = spinning & ~BIT(me))
  :: !(spinning & BIT(me))
#ifdef S3_ONLY_AFTER_SPIN
     goto Hold
#endif
  fi;
#endif
#if defined(PARK_WORKERS) && !defined(NO_S3)
  if
  :: d_step { parked != 0 -> p = parked }
  :: parked == 0 -> goto Hold
  OR_DIES
  fi;
#if SPINNERS
  if
#ifdef CLEAR_AFTER_LOOK
  :: d_step { (spinning & ~BIT(me)) != 0 -> p = 0 } goto Hold
  :: (spinning & ~BIT(me)) == 0
#else
  :: d_step { spinning != 0 -> p = 0 } goto Hold
  :: spinning == 0
#endif
  OR_DIES
  fi;
#endif
  if
  :: n > 1 || head != tail -> goto W1
  :: n < 2 && head == tail
  OR_DIES
  fi;
#if WORKERS > 2
  if
  :: HAS_CLAIMS(NEXT2) -> goto W1
  :: !HAS_CLAIMS(NEXT2)
  OR_DIES
  fi;
#endif
  if
  :: HAS_CLAIMS(NEXT1)
  :: d_step { !HAS_CLAIMS(NEXT1) -> p = 0 } goto Hold
  OR_DIES
  fi;
W1:
  if
#define WAKE(s) \
  :: d_step { (p & BIT(s)) && (parked & BIT(s)) -> parked = parked & ~BIT(s); p = s } \
  :: d_step { (p & BIT(s)) && !(parked & BIT(s)) -> p = 0 } goto Hold
  EACH_SEAT(WAKE)
#undef WAKE
  OR_DIES
  fi;
W2:
  WAKE_UP(p);
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
#ifndef NO_RECHECK_WORKER
P2:
#if RETIRES
  if
  :: seat[me].retiring -> goto Up
  :: !seat[me].retiring
  OR_DIES
  fi;
#endif
#if MAILED
  if
  :: me == 0 && len(mail) > 0 -> goto Up
  :: me != 0 || len(mail) == 0
  OR_DIES
  fi;
#endif
  if
  :: head != tail -> goto Up
  :: head == tail
  OR_DIES
  fi;
  if
  :: HAS_CLAIMS(NEXT1) -> goto Up
  :: !HAS_CLAIMS(NEXT1)
  OR_DIES
  fi;
#if WORKERS > 2
  if
  :: HAS_CLAIMS(NEXT2) -> goto Up
  :: !HAS_CLAIMS(NEXT2)
  OR_DIES
  fi;
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
  OR_DIES
  fi;
#ifdef NO_CLEAR_AFTER_P3
  goto Idle;
#endif
Up:
  STEP(parked = parked & ~BIT(me); seat[me].wakeups = CHANGED);
  goto Idle;
#else
end_idle:
  if
  :: head != tail || HAS_CLAIMS(NEXT1) -> goto Idle
  OR_DIES
  fi;
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

#define FREE(c) (cell[c].task == NONE && head >= cell[c].passed)
#define KEPT(c) (cell[c].task == NONE && head < cell[c].passed)
/* the hint that is next in the ring is stale, and will be as long as main does not post its cell */
#define NEXT_IS_STALE (head < tail && cell[ring[head % RING]].state != POSTED)
#ifdef NO_SKIP
#define CAN_SKIP false
#else
#define CAN_SKIP (waiting > 0 && ANY_CELL(KEPT) && !ANY_CELL(FREE) && NEXT_IS_STALE)
#endif

#define IS_GONE(s) (seat[s].life == GONE)
#define CAN_POST (waiting > 0 && ANY_CELL(FREE))
#if MAILED
#define CAN_MAIL (mailWaiting > 0 && ANY_CELL(FREE) && len(mail) == 0)
#else
#define CAN_MAIL false
#endif

/* O1, O2 and O3: until O3 nobody but main sees any of it */
inline post(x, how) {
  c = x;
  assert(cell[c].task == NONE && !cell[c].owned);
  cell[c].task = OPEN;
  cell[c].result = false;
  cell[c].state = how
}

inline release(x) {
  cell[x].task = NONE;
  cell[x].state = OWN;
  cell[x].result = false;
#ifdef STALE_HINTS_FILL_RING
  cell[x].passed = 0
#else
  cell[x].passed = (head >= cell[x].passed -> 0 : cell[x].passed)
#endif
}

inline drain(s) {
  done[s] ? c;
  assert(cell[c].task == BEGUN && cell[c].result && !cell[c].owned);
  settled++;
  release(c);
  c = 0
}

inline withdraw(x) {
  assert(cell[x].task == OPEN && !cell[x].owned);
  cell[x].task = NONE;
  cell[x].state = OWN
}

#define OFFER(x) :: d_step { waiting > 0 && FREE(x) -> waiting--; post(x, POSTED) } goto O4
#define MAIL_TO_0(x) \
  :: d_step { mailWaiting > 0 && FREE(x) && len(mail) == 0 -> mailWaiting--; post(x, POSTED_FOR(0)) } goto Mail
#define DRAIN(s) :: d_step { nempty(done[s]) -> drain(s) } goto Loop
#define CANCEL(x) :: d_step { withdrawals > 0 && WAITS(x) -> withdrawals--; withdraw(x); settled++ } goto Loop
#define TAKE_BACK(x) :: d_step { withdrawals > 0 && WAITS(x) -> withdrawals--; withdraw(x); waiting++ } goto Loop
#define CANCEL_MAIL(x) \
  :: d_step { withdrawals > 0 && WAITS_FOR_0(x) -> withdrawals--; withdraw(x); settled++ } goto Loop
#define ABORT(x) \
  :: d_step { aborts > 0 && cell[x].task != NONE && cell[x].state == RUNNING(0) -> \
       aborts--; \
       cell[x].state = ABORTING(0) \
     } goto Loop
#define RETIRE(s) :: d_step { retires > 0 && !seat[s].retiring -> retires--; seat[s].retiring = true; p = s } goto Retire
#define LOSE(s) :: d_step { seat[s].life == GONE -> p = s } goto X1

/* what may happen to main whether it sleeps or not */
#if WITHDRAWALS && MAILED
#define WITHDRAW EACH_CELL(CANCEL_MAIL)
#elif WITHDRAWALS
#define WITHDRAW EACH_CELL(CANCEL) EACH_CELL(TAKE_BACK)
#else
#define WITHDRAW
#endif
#if FRESH
#define CALL :: d_step { fresh > 0 && waiting == 0 -> fresh--; waiting++ } goto Loop
#else
#define CALL
#endif
#if ABORTS
#define RAISE EACH_CELL(ABORT)
#else
#define RAISE
#endif
#if RETIRES
#define LET_GO EACH_SEAT(RETIRE)
#else
#define LET_GO
#endif
#if CRASHES
#define EXIT EACH_SEAT(LOSE)
#else
#define EXIT
#endif
#define EVENTS WITHDRAW CALL RAISE LET_GO EXIT

proctype Main() {
  byte c;
  byte p;

Loop:
  if
  :: settled == ALL_TASKS && !ANY_SEAT(IS_GONE) -> goto Over
  EACH_CELL(OFFER)
#if MAILED
  EACH_CELL(MAIL_TO_0)
#endif
  :: d_step { CAN_SKIP -> ring[head % RING] = 0; head++ } goto Loop
#ifdef BLOCKED
  :: waiting == 0 && mailWaiting == 0 -> goto Over
#else
  EACH_SEAT(DRAIN)
  EVENTS
#endif
#ifdef PARK_MAIN
  :: settled < ALL_TASKS && !CAN_POST && !CAN_MAIL && !CAN_SKIP -> goto M1
#endif
  fi;

O4:
  if
  :: d_step {
#ifndef STALE_HINTS_FILL_RING
       assert(tail - head < RING);
#endif
       ring[tail % RING] = c;
       tail++;
       cell[c].passed = tail;
       c = 0
     }
  fi;
#ifdef PARK_WORKERS
O5:
  if
  :: d_step { parked != 0 -> p = parked }
  :: parked == 0 -> goto Loop
  fi;
#if SPINNERS
  if
  :: d_step { spinning != 0 -> p = 0 } goto Loop
  :: spinning == 0
  fi;
#endif
  if
#define WAKE(s) \
  :: d_step { (p & BIT(s)) && (parked & BIT(s)) -> parked = parked & ~BIT(s); p = s } goto W2 \
  :: d_step { (p & BIT(s)) && !(parked & BIT(s)) -> p = 0 } goto Loop
  EACH_SEAT(WAKE)
#undef WAKE
  fi;
W2:
  if
  :: d_step { seat[p].wakeups = CHANGED; p = 0 }
  fi;
#endif
  goto Loop;

#if MAILED
Mail:
  if
  :: d_step { mail ! c; c = 0; p = 0 }
  fi;
  goto WakeThat;
#endif
Retire:
WakeThat:
#ifdef PARK_WORKERS
  if
  :: d_step { parked & BIT(p) -> parked = parked & ~BIT(p) } goto W2
  :: d_step { !(parked & BIT(p)) -> p = 0 }
  fi;
#endif
  goto Loop;

#ifdef PARK_MAIN
M1:
#ifdef NO_PARK_ANEW
  if
  :: mainAsleep -> goto M3wait
  :: !mainAsleep
  fi;
#endif
  mainParked = true;
M2:
#ifndef NO_RECHECK_MAIN
#if MAILED
  if
  :: CAN_MAIL -> mainParked = false; goto Loop
  :: else
  fi;
#endif
#define LOOK(s) \
  if \
  :: nempty(done[s]) -> mainParked = false; goto Loop \
  :: empty(done[s]) \
  fi;
  EACH_SEAT(LOOK)
#undef LOOK
#endif
M3:
#if CRASHES
  if
  :: d_step { mainParked -> mainAsleep = true }
  :: !mainParked -> goto Loop
  fi;
M3wait:
  if
  :: !mainAsleep -> goto Loop
  EVENTS
  fi;
#else
  if
  :: !mainParked -> goto Loop
  EVENTS
  fi;
#endif
#endif

#if CRASHES
#define TAKEN_DOWN(x) \
  if \
  :: cell[x].task != NONE && (cell[x].state == RUNNING(p) || cell[x].state == ABORTING(p)) -> \
     assert(cell[x].task == BEGUN && !cell[x].owned); \
     release(x); \
     if \
     :: retries > 0 -> retries--; waiting++ \
     :: else -> settled++ \
     fi \
  :: else \
  fi;
#define STILL_CLAIMED(j) \
  if \
  :: d_step { j < seat[p].claimed && WAITS(seat[p].claims[j]) -> withdraw(seat[p].claims[j]); waiting++ } \
  :: else \
  fi;
X1:
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
  :: d_step { EACH_CELL(TAKEN_DOWN) skip }
  fi;
#ifndef NO_X3
X3:
  STILL_CLAIMED(0)
#if CLAIMS > 1
  STILL_CLAIMED(1)
#endif
#endif
X4:
  parked = parked & ~BIT(p);
  spinning = spinning & ~BIT(p);
  if
  :: d_step { clearClaims(p); seat[p].life = VACANT; p = 0 }
  fi;
#ifndef NO_X5
X5:
#define ROUSE(s) \
  if \
  :: d_step { seat[s].life == ALIVE -> seat[s].wakeups = CHANGED } \
  :: else \
  fi;
  EACH_SEAT(ROUSE)
#endif
#ifndef NO_PARK_ANEW
  mainParked = false;
#endif
  goto Loop;
#endif

Over:
#ifdef BLOCKED
#if WORKERS == 2
  len(done[0]) + len(done[1]) == ALL_TASKS;
#else
  len(done[0]) + len(done[1]) + len(done[2]) == ALL_TASKS;
#endif
#endif
#define AT_REST(s) \
  assert(seat[s].life != ALIVE || ((seat[s].wakeups != CHANGED) == ((parked >> s) & 1)));
  timeout;
  assert(spinning == 0 && head == tail);
  EACH_SEAT(AT_REST)
  skip
}

init {
  atomic {
    run Main();
    run Worker(0);
    run Worker(1);
#if WORKERS > 2
    run Worker(2)
#endif
  }
}
