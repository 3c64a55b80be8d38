// ONNX Runtime through its npm package, as one process of bench_models.
//   node onnxruntime.js FOLDER             prints the version of the package that FOLDER has, or fails
//   node onnxruntime.js FOLDER TASK.json   performs the task (task.h)
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const requireFrom = createRequire(path.resolve(process.argv[2], 'package.json'));
const ort = requireFrom('onnxruntime-node');
const version = requireFrom('onnxruntime-node/package.json').version;

const kinds = {
  '<f4': ['float32', Float32Array], '<f8': ['float64', Float64Array], '<i4': ['int32', Int32Array],
  '<i8': ['int64', BigInt64Array], '|u1': ['uint8', Uint8Array], '|i1': ['int8', Int8Array], '|b1': ['bool', Uint8Array],
};

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const long = bytes[6] > 1;
  const start = (long ? 12 + bytes.readUInt32LE(8) : 10 + bytes.readUInt16LE(8));
  const header = bytes.toString('latin1', 10, start);
  const kind = kinds[header.match(/'descr': '([^']+)'/)[1]];
  if (!kind) throw new Error(`${file}: elements of this type are not supported`);
  const dims = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((x) => x.trim()).map(Number);
  const data = bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length);
  return new ort.Tensor(kind[0], new kind[1](data), dims);
}

function writeNpy(file, tensor) {
  const descr = Object.keys(kinds).find((d) => kinds[d][0] === tensor.type);
  const shape = tensor.dims.map((d) => d + ',').join(' ');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  fs.writeFileSync(file, Buffer.concat([head, Buffer.from(header, 'latin1'), data]));
}

const now = () => Number(process.hrtime.bigint()) * 1e-9;

// Timed runs after a warm-up; returns the last one's outputs, too.
async function measure(session, feeds, runs) {
  let outputs, spent = 0;
  for (let i = 0; i < 2 || spent < 0.15; i++) {
    const start = now();
    outputs = await session.run(feeds);
    spent += now() - start;
  }
  const seconds = [];
  for (let i = 0; i < runs; i++) {
    const start = now();
    outputs = await session.run(feeds);
    seconds.push(now() - start);
  }
  return {seconds, outputs};
}

async function perform(task) {
  const options = {
    intraOpNumThreads: task.threads, interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
    enableCpuMemArena: true, enableMemPattern: true,
  };
  const start = now();
  const session = await ort.InferenceSession.create(task.model, options);
  const result = {implementation: `onnxruntime-node ${version}`, load_s: now() - start, copies: []};
  const feeds = {};
  session.inputNames.forEach((name, i) => { feeds[name] = readNpy(task.inputs[i]); });
  const {seconds, outputs} = await measure(session, feeds, task.runs);
  result.seconds = seconds;
  if (task.outputs) {
    fs.mkdirSync(task.outputs, {recursive: true});
    session.outputNames.forEach((name, i) => writeNpy(path.join(task.outputs, `${i}.npy`), outputs[name]));
  }
  if (task.copies) {
    // Its inputs have the outputs' shapes; outputs whose type it lacks are small.
    const identity = await ort.InferenceSession.create(task.copies, options);
    const floats = session.outputNames.map((name) => outputs[name]).filter((t) => t.type === 'float32');
    const copied = {};
    identity.inputNames.forEach((name, i) => { copied[name] = floats[i]; });
    result.copies = (await measure(identity, copied, task.runs)).seconds;
  }
  fs.writeFileSync(task.result, JSON.stringify(result));
}

if (process.argv.length < 4) {
  console.log(version);
} else {
  perform(JSON.parse(fs.readFileSync(process.argv[3]))).catch((error) => {
    console.error(String(error.message || error));
    process.exit(2);
  });
}
