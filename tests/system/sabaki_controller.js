// Drives a Katachi engine through a whole game with Sabaki's own GTP controller, and prints as JSON what happened.
// Arguments: the folder of node modules, the katachi program, a file for the record.

const [, , modules, katachi, record] = process.argv
const {Controller} = require(`${modules}/@sabaki/gtp`)

async function main() {
  const engine = new Controller(katachi, ['gtp', 'flat-mc:sims=5', '--size', '5', '--seed', '1'])
  const told = {moves: [], errors: [], stderr: []}
  engine.on('stderr', ({content}) => told.stderr.push(content))
  engine.start()

  let id = 0
  const ask = async (name, ...args) => {
    const answer = await engine.sendCommand({id: ++id, name, args: args.map(String)})
    if (answer.id !== id) throw new Error(`${name}: the answer has id ${answer.id}, not ${id}`)
    if (answer.error) throw new Error(`${name}: ${answer.content}`)
    return answer.content
  }
  const fail = async (name, ...args) => {
    const answer = await engine.sendCommand({name, args})
    if (!answer.error) throw new Error(`${name} did not fail: ${answer.content}`)
    told.errors.push(`? ${answer.content}`)
  }

  told.name = await ask('name')
  if ((await ask('protocol_version')) !== '2') throw new Error('not GTP 2')
  const commands = (await ask('list_commands')).split('\n')
  for (const needed of ['play', 'genmove', 'undo', 'loadsgf', 'final_score', 'quit']) {
    if (!commands.includes(needed)) throw new Error(`${needed} is not listed`)
  }
  await ask('boardsize', 5)
  await ask('clear_board')
  await ask('komi', 7.5)
  await ask('play', 'B', 'C3')
  await fail('play', 'W', 'C3')
  await fail('no_such_command')
  await fail('play', 'W')
  await ask('undo')
  await ask('time_settings', 300, 10, 5)
  while (told.moves.slice(-2).join() !== 'pass,pass' && told.moves.length < 500) {
    const color = told.moves.length % 2 === 0 ? 'B' : 'W'
    await ask('time_left', color, 100, 0)
    told.moves.push(await ask('genmove', color))
  }
  const stones = async () => (await ask('gogui-rules_board')).replace(/\s/g, '')
  told.stones = await stones()
  told.score = await ask('final_score')
  await ask('printsgf', record)
  await ask('clear_board')
  await ask('loadsgf', record)
  told.loaded = await stones()
  await engine.stop()
  console.log(JSON.stringify(told))
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
