#pragma once
#include <string>
#include <vector>

namespace cppgen::bench {

// The task of one process: load a model, run it a few times, write its times. The text of a task is JSON with
// these names; onnxruntime.js reads the same.
struct Task {
  std::string engine;                 // "cppgen" or "onednn"; onnxruntime.js is one of its own
  std::string model;                  // .onnx file
  std::vector<std::string> settings;  // NAME=VALUE, of cppgen
  int threads = 1;
  int runs = 3;                     // timed, after a warm-up
  std::vector<std::string> inputs;  // .npy files in the order of the model
  std::string outputs;              // folder for the last run's results, 0.npy, 1.npy ...; empty: not written
  std::string copies;               // for peers with a binding: a model that returns tensors like the outputs, or empty
  std::string result;               // file to write
};
std::string to_json(const Task&);
Task task_of(const std::string& json);

// The result that such a process writes.
struct TaskResult {
  std::string implementation;   // version, instruction set ...
  double load_s = 0;            // from opening the model to a ready session; of ours with a warm cache
  std::vector<double> seconds;  // of each run
  std::vector<double> copies;   // of the model that only copies; empty: none was given
};
std::string to_json(const TaskResult&);
TaskResult task_result_of(const std::string& json);

// Does a task in this process. UserError for what the model or a setting does wrong.
TaskResult perform(const Task&);

}  // namespace cppgen::bench
