// Who takes part in a scenario: contenders, and where it has several ways of doing its work, each way that one can go.

/** Threads without a pool, and the methods of documents, take part only where a scenario asks for them. */
const takesPools = ({ role }) => role !== 'bare' && role !== 'as-published';

/**
 * @param scenario `takes(contender)`: who takes part; `ways`: [{ id, needs, takes, isQuick }], needs: what a contender must
 *   be able to; takes: who goes that way; isQuick: false: not in a quick run; `inlineWays`: those of who has no pool
 * @param isQuick one variant of each package only; and of the published ones only those packages that `published` lists
 * @returns a list of { id, contender, way }: in the report, the id is the row
 */
export function entriesOf(scenario, contenders, { isQuick = false, published } = {}) {
  const { takes = takesPools, ways = [], inlineWays = [] } = scenario;
  const taken = contenders.filter(takes);
  return (isQuick ? fewOf(taken, published) : taken).flatMap((contender) => {
    // Inline, nothing crosses: how it could is no question there.
    const own = contender.role === 'inline' ? inlineWays : ways;
    if (own.length === 0) return [{ id: contender.id, contender }];
    return own
      .filter((way) => canGo(contender, way) && !(isQuick && way.isQuick === false))
      .map((way) => ({ id: `${contender.id}, ${way.id}`, contender, way: way.id }));
  });
}

function canGo(contender, { needs = [], takes: takesWay = () => true }) {
  return needs.every((capability) => contender.can?.includes(capability)) && takesWay(contender);
}

function fewOf(contenders, published) {
  const isWanted = ({ role, package: name }) =>
    role !== 'published' || published === undefined || published.includes(name);
  return oneOfEach(contenders.filter(isWanted));
}

/**
 * Of each package the variant that is meant for a quick run, or where a scenario does not take that, the first; and every
 * method of a document.
 */
function oneOfEach(contenders) {
  const chosen = new Map();
  for (const contender of contenders) {
    const key = contender.package ?? (contender.role === 'as-published' ? contender.id : contender.role);
    if (!chosen.has(key) || contender.isQuick) chosen.set(key, contender);
  }
  return [...chosen.values()];
}
