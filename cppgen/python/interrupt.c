/* Ctrl-C during a run.
 *
 * Python calls its handlers of signals on its main thread, and only between instructions of Python, so a run on that
 * thread would delay them to its end. While such a run may be long, SIGINT goes to a handler here, which asks the
 * runtime to end the run and passes the signal on to Python's handler. If what Python then calls raises no exception,
 * the run starts again: its inputs are as they were.
 *
 * Changing the handler takes two system calls, as long as a run of a small model. Runs are therefore watched until one
 * with inputs as large has been found brief, and then one in 256, as the time may also depend on values. */
#define _GNU_SOURCE /* gettid */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "module.h"

enum { watched_one_in = 256, brief_nanoseconds = 1000000 };

/* Of the run of the main thread, of which there is one at a time. */
static cppgen_cancel* interrupt;
static struct sigaction previous;
static bool is_watching;

static void on_interrupt(int number, siginfo_t* info, void* context) {
  cppgen_cancel_request(interrupt);
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(number, info, context);
  else
    previous.sa_handler(number);
}

/* The first call on a thread takes two system calls. */
static bool is_main_thread(void) {
  static _Thread_local enum { unknown, first, other } kind;
  if (kind == unknown) kind = gettid() == getpid() ? first : other;
  return kind == first;
}

/* False where no handler of Python's would be called, or the handler cannot be changed. */
static bool start_watching(void) {
  struct sigaction found;
  if (is_watching || sigaction(SIGINT, NULL, &found) != 0) return false;
  const bool informed = found.sa_flags & SA_SIGINFO;
  if (informed ? found.sa_sigaction == on_interrupt : found.sa_handler == SIG_DFL || found.sa_handler == SIG_IGN)
    return false;
  cppgen_error error;
  if (!interrupt && cppgen_cancel_create(&interrupt, &error) != CPPGEN_OK) return false;
  cppgen_cancel_reset(interrupt);
  previous = found;
  struct sigaction mine = found;
  mine.sa_sigaction = on_interrupt;
  mine.sa_flags |= SA_SIGINFO;
  return is_watching = sigaction(SIGINT, &mine, NULL) == 0;
}

static void stop_watching(void) {
  sigaction(SIGINT, &previous, NULL);
  is_watching = 0;
}

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static cppgen_status run_once(Run run, void* context, const cppgen_cancel* cancel, cppgen_error* error) {
  const cppgen_run_options options = {sizeof options, cancel};
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = run(context, cancel ? &options : NULL, error);
  Py_END_ALLOW_THREADS;
  return status;
}

/* Runs until a run ends otherwise than by a signal whose handler raises nothing, and notes whether it was brief. False
 * if a handler raised. */
static bool run_watched(Session* self, size_t bytes, bool watching, Run run, void* context, cppgen_status* status,
                        cppgen_error* error) {
  if (PyErr_CheckSignals() < 0) return false; /* for one that came before the handler was changed */
  const cppgen_cancel* cancel = watching ? interrupt : NULL;
  const int64_t begin = nanoseconds();
  while ((*status = run_once(run, context, cancel, error)) == CPPGEN_CANCELLED) {
    cppgen_cancel_reset(interrupt);
    if (PyErr_CheckSignals() < 0) return false;
  }
  const bool brief = nanoseconds() - begin < brief_nanoseconds;
  if (brief && self->brief_size <= bytes) self->brief_size = bytes + 1;
  if (!brief && self->brief_size > bytes) self->brief_size = bytes;
  return true;
}

bool run_unlocked(Session* self, size_t bytes, const cppgen_cancel* cancel, Run run, void* context) {
  cppgen_error error;
  cppgen_status status;
  const bool is_brief = bytes < self->brief_size && ++self->brief_runs % watched_one_in;
  if (cancel || is_brief || !is_main_thread()) {
    status = run_once(run, context, cancel, &error);
  } else {
    const bool watching = start_watching();
    const bool ended = run_watched(self, bytes, watching, run, context, &status, &error);
    if (watching) stop_watching();
    if (!ended) return false;
  }
  return status == CPPGEN_OK || raise_status(status, &error);
}
