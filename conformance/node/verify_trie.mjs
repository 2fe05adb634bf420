// Shows @ethereumjs/mpt what the clue trie says of clues: each case must be accepted as it is, and
// refused in every tampered form.
//
//   node verify_trie.mjs FILE
//
// The file is described in conformance/README.md. Prints one line; exits with 1 if any case went the
// wrong way, or if the file holds fewer cases than it says.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { verifyMerkleProof } from '@ethereumjs/mpt'

const FAILURES_MAX = 20
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (value) => Buffer.from(value ?? []).toString('hex')

// A claim is that the clue has this value or, if it is empty, that it was never used. The library
// hashes the clue's id itself.
async function accepts(claim) {
  try {
    const value = await verifyMerkleProof(claim.clueId, claim.nodes, {
      root: claim.root,
      useKeyHashing: true,
    })
    return hex(value) === hex(claim.value)
  } catch {
    return false
  }
}

function flipped(value, bit) {
  const changed = Uint8Array.from(value)
  changed[(bit >> 3) % changed.length] ^= 1 << (bit & 7)
  return changed
}

function* twins(claim) {
  for (let i = 0; i < claim.nodes.length; i++) {
    const node = claim.nodes[i]
    yield ['a flipped node', withNode(claim, i, flipped(node, 8 * i + claim.nodes.length))]
    yield ['a node cut short', withNode(claim, i, node.slice(0, -1))]
    yield ['a node missing', { ...claim, nodes: claim.nodes.toSpliced(i, 1) }]
  }
  yield ['a flipped root', { ...claim, root: flipped(claim.root, 77) }]
  yield ["another clue's id", { ...claim, clueId: claim.other }]
  if (claim.value.length > 0) {
    yield ['another value', { ...claim, value: flipped(claim.value, 9) }]
    yield ['absence claimed', { ...claim, value: new Uint8Array() }]
  } else {
    yield ['presence claimed', { ...claim, value: claim.root }]
  }
}

function withNode(claim, at, node) {
  return { ...claim, nodes: claim.nodes.with(at, node) }
}

const counts = { accepted: 0, refused: 0, failed: 0 }

function fail(what) {
  if (counts.failed < FAILURES_MAX) console.error('FAILED @ethereumjs/mpt:', what)
  counts.failed++
}

async function judge(claim) {
  const name = `clue ${hex(claim.clueId)}`
  if (!(await accepts(claim))) return fail(`${name} refused`)
  let refused = 0
  for (const [what, twin] of twins(claim)) {
    if (await accepts(twin)) return fail(`${name} with ${what}: accepted`)
    refused++
  }
  counts.accepted++
  counts.refused += refused
}

async function verifyFile(name) {
  let cases = 0
  let said = -1
  for await (const line of createInterface({ input: createReadStream(name) })) {
    if (said >= 0) throw new Error('lines after the last one')
    const read = JSON.parse(line)
    if (read.kind === 'end') {
      said = read.cases
      continue
    }
    await judge({
      clueId: bytes(read.clueId),
      other: bytes(read.other),
      root: bytes(read.root),
      value: bytes(read.value),
      nodes: read.nodes.map(bytes),
    })
    cases++
  }
  if (cases === 0 || cases !== said) throw new Error(`${cases} cases, the last line says ${said}`)
}

if (process.argv.length !== 3) {
  console.error('usage: verify_trie.mjs FILE')
  process.exit(2)
}
await verifyFile(process.argv[2])
console.log(
  `@ethereumjs/mpt: ${counts.accepted} accepted, ${counts.refused} tampered refused, ${counts.failed} failed`,
)
process.exitCode = counts.failed > 0 || counts.accepted === 0 || counts.refused === 0 ? 1 : 0
