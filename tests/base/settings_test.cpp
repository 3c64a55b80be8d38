#include "runtime/base/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "runtime/base/errors.h"
#include "runtime/base/foreign_names.h"
#include "runtime/base/setting_values.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

Settings load(Environment environment, const Options& options = {}) {
  environment.emplace("HOME", "/home/ada");
  return Settings::from_environment(environment, options);
}

std::string error_of(const Environment& environment, const Options& options = {}) {
  try {
    load(environment, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

SettingDescription row_of(const Settings& settings, std::string_view name) {
  for (SettingDescription& row : settings.describe())
    if (row.name == name) return row;
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(Settings, DefaultsAreTyped) {
  Settings s = load({});
  EXPECT_EQ(s.cxx, "g++");
  EXPECT_EQ(s.compiler_opt, "-O3");
  EXPECT_EQ(s.vec_isa_ok, std::nullopt);
  EXPECT_EQ(s.threads, -1);
  EXPECT_EQ(s.min_chunk_size, 512);
  EXPECT_EQ(s.cache_size_limit, 4ll << 30);
  EXPECT_TRUE(s.kernel_cache);
  EXPECT_FALSE(s.recompile);
  EXPECT_EQ(s.max_autotune_gemm_backends, (Words{"CPP", "XSMM", "ONEDNN"}));
  EXPECT_EQ(s.compile_threads, std::min(32, usable_cpus()));
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_EQ(s.source(SettingId::threads).kind, SettingSource::fallback);
}

// Readers that do not depend on the whole table name a row and its kind.
TEST(Settings, DefaultsAreFoundByNameAndKind) {
  EXPECT_EQ(setting_default<SettingKind::integer>("MIN_CHUNK_SIZE"), setting_default<SettingId::min_chunk_size>());
  EXPECT_EQ(setting_default<SettingKind::list>("ISA"), std::vector<std::string>{"auto"});
  EXPECT_EQ(setting_default<SettingKind::path>("CACHE_DIR"), "");
  EXPECT_THROW(setting_default<SettingKind::boolean>("MIN_CHUNK_SIZE"), InternalError);
  EXPECT_THROW(setting_default<SettingKind::integer>("NO_SUCH_ROW"), InternalError);
  EXPECT_EQ(choice_index("AFFINITY", "pu"), 2u);
  EXPECT_THROW(choice_index("AFFINITY", "socket"), UserError);
  EXPECT_THROW(choice_index("THREADS", "1"), InternalError);
}

TEST(Settings, EveryRowIsWellFormed) {
  std::set<std::string> names;
  for (const SettingDescription& row : Settings().describe()) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    for (const std::string& alias : row.aliases) EXPECT_TRUE(names.insert(alias + "=").second) << alias;
    EXPECT_FALSE(row.doc.empty()) << row.name;
    EXPECT_EQ(row.doc.back(), '.') << row.name;
    EXPECT_FALSE(row.allowed.empty()) << row.name;
    EXPECT_EQ(row.source, "default") << row.name;
  }
  EXPECT_EQ(names.count("CXX"), 1u);
}

TEST(Settings, PrecedenceIsOptionVariableAliasDefault) {
  Environment alias{{"TORCHINDUCTOR_CPP_MIN_CHUNK_SIZE", "1024"}};
  Settings s = load(alias);
  EXPECT_EQ(s.min_chunk_size, 1024);
  EXPECT_EQ(row_of(s, "MIN_CHUNK_SIZE").source, "TORCHINDUCTOR_CPP_MIN_CHUNK_SIZE");

  Environment both = alias;
  both["CPPGEN_MIN_CHUNK_SIZE"] = "2048";
  s = load(both);
  EXPECT_EQ(s.min_chunk_size, 2048);
  EXPECT_EQ(row_of(s, "MIN_CHUNK_SIZE").source, "CPPGEN_MIN_CHUNK_SIZE");

  s.set("min-chunk-size", "64");
  EXPECT_EQ(s.min_chunk_size, 64);
  EXPECT_EQ(row_of(s, "MIN_CHUNK_SIZE").source, "option");
  EXPECT_EQ(load(both, {{"CPPGEN_MIN_CHUNK_SIZE", "128"}}).min_chunk_size, 128);
}

// A foreign variable never stops anything: what is wrong with it is said, and it is ignored.
TEST(Settings, AnAliasThatDisagreesIsIgnored) {
  EXPECT_EQ(load({{"NUM_BUILDERS", "3"}}).compile_threads, 3);
  EXPECT_EQ(load({{"NUM_BUILDERS", "3"}, {"TORCHINDUCTOR_COMPILE_THREADS", "03"}}).compile_threads, 3);
  Environment clash{{"NUM_BUILDERS", "3"}, {"TORCHINDUCTOR_COMPILE_THREADS", "4"}};
  EXPECT_EQ(load(clash).compile_threads, 4);
  EXPECT_EQ(load(clash).warnings, Words{"NUM_BUILDERS=3 is ignored because TORCHINDUCTOR_COMPILE_THREADS=4 also sets "
                                        "COMPILE_THREADS; set CPPGEN_COMPILE_THREADS to choose"});
  EXPECT_EQ(load(clash, {{"compile_threads", "5"}}).compile_threads, 5);
  clash["CPPGEN_COMPILE_THREADS"] = "2";
  EXPECT_EQ(load(clash).compile_threads, 2);
}

TEST(Settings, AnAliasWithABadValueIsIgnored) {
  const Settings s = load({{"NUM_BUILDERS", "auto"}, {"LOGLEVEL", "warn"}});
  EXPECT_EQ(s.compile_threads, Settings().compile_threads);
  EXPECT_EQ(s.loglevel, "WARNING");
  EXPECT_EQ(s.source(SettingId::loglevel).kind, SettingSource::fallback);
  EXPECT_EQ(s.warnings, (Words{"NUM_BUILDERS: \"auto\" is not allowed; allowed: 1 to 1024; it is ignored; set "
                               "CPPGEN_COMPILE_THREADS to choose",
                               "LOGLEVEL: \"warn\" is not allowed; allowed: DEBUG, INFO, WARNING, ERROR; it is "
                               "ignored; set CPPGEN_LOGLEVEL to choose"}));
  EXPECT_NE(error_of({{"CPPGEN_LOGLEVEL", "warn"}}), "");
  // The next alias counts.
  EXPECT_EQ(load({{"TORCHINDUCTOR_COMPILE_THREADS", "many"}, {"NUM_BUILDERS", "3"}}).compile_threads, 3);
}

TEST(Settings, OfAForeignListTheKnownWordsCount) {
  const char* name = "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS";
  Settings s = load({{name, "ATEN,TRITON,CPP"}});
  EXPECT_EQ(s.max_autotune_gemm_backends, Words{"CPP"});
  EXPECT_EQ(s.warnings, Words{"TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS=ATEN,TRITON,CPP: ATEN,TRITON are ignored; "
                              "allowed for MAX_AUTOTUNE_GEMM_BACKENDS: CPP, XSMM, ONEDNN"});
  s = load({{name, "ATEN"}});
  EXPECT_EQ(s.max_autotune_gemm_backends, load({}).max_autotune_gemm_backends);
  EXPECT_EQ(s.source(SettingId::max_autotune_gemm_backends).kind, SettingSource::fallback);
  EXPECT_EQ(s.warnings.size(), 1u);
  EXPECT_NE(error_of({{"CPPGEN_MAX_AUTOTUNE_GEMM_BACKENDS", "ATEN,CPP"}}), "");
}

TEST(Settings, AnAliasCanBeIgnoredLater) {
  Settings s = load({{"CXX", "nvcc"}});
  EXPECT_TRUE(s.ignore_alias(SettingId::cxx, "it is not installed"));
  EXPECT_EQ(s.cxx, "g++");
  EXPECT_EQ(s.warnings, Words{"CXX=nvcc is ignored: it is not installed"});
  EXPECT_FALSE(s.ignore_alias(SettingId::cxx, "again"));
  s = load({{"CPPGEN_CXX", "nvcc"}});
  EXPECT_FALSE(s.ignore_alias(SettingId::cxx, "it is ours"));
  EXPECT_EQ(s.cxx, "nvcc");
}

TEST(Settings, KnownNamesWithoutASettingAreToldWithTheReason) {
  EXPECT_EQ(load({{"TORCHINDUCTOR_CUDAGRAPHS", "1"}, {"AIT_FORCE_CUTLASS_SM90_KERNELS", "1"}}).warnings,
            Words{"TORCHINDUCTOR_CUDAGRAPHS, AIT_FORCE_CUTLASS_SM90_KERNELS have no effect: cppgen generates code for "
                  "CPUs"});
  EXPECT_TRUE(load({{"TORCHINDUCTOR_CUDAGRAPHS", ""}}).warnings.empty());
  for (const SettingDescription& row : Settings().describe()) {
    EXPECT_EQ(reason_of_absence(row.name), "") << row.name;
    for (const std::string& alias : row.aliases)
      EXPECT_TRUE(foreign_name_notes({{alias, "1"}}).empty()) << alias << " is an alias and in the table of the others";
  }
}

TEST(Settings, UnknownNamesOfOtherProgramsAreTold) {
  EXPECT_EQ(load({{"TORCHINDUCTOR_FREEZIN", "1"}, {"AIT_SOMETHING_ELSE", "1"}, {"EJKERNEL_NOTHING", ""}}).warnings,
            (Words{"AIT_SOMETHING_ELSE has no effect: cppgen does not know this variable",
                   "TORCHINDUCTOR_FREEZIN has no effect: cppgen does not know this variable; the nearest known name is "
                   "TORCHINDUCTOR_FREEZING"}));
}

// Their values never stop a program, even if only the file system can tell that they are not for us.
TEST(Settings, ForeignValuesThatCannotBeUsedAreIgnored) {
  Settings s = load({{"AIT_CUDA_DEBUG_LEVEL", "-lineinfo"}});
  EXPECT_EQ(s.debug_level, "0");
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_EQ(s.warnings[0].find("AIT_CUDA_DEBUG_LEVEL: the option \"-lineinfo\" is not allowed"), 0u) << s.warnings[0];
  EXPECT_EQ(load({{"AIT_CUDA_DEBUG_LEVEL", "-g -Og"}}).debug_level, "-g -Og");
  s = load({{"EJKERNEL_OPS_RECORD", "True"}});
  EXPECT_EQ(s.ops_record, "");
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_NE(s.warnings[0].find("True is ignored: the setting is the name of a file"), std::string::npos)
      << s.warnings[0];
  for (const char* variable : {"EJKERNEL_OPS_RECORD", "TORCHINDUCTOR_PROFILE_OUTPUT"}) {
    EXPECT_EQ(load({{variable, "/no/such/folder/file"}}).warnings,
              Words{variable + std::string("=/no/such/folder/file is ignored: the file cannot be written: No such file "
                                           "or directory")});
    EXPECT_EQ(load({{variable, "/tmp"}}).warnings,
              Words{variable + std::string("=/tmp is ignored: it is a directory")});
    EXPECT_TRUE(load({{variable, "/tmp/cppgen-new-file"}}).warnings.empty());
  }
  for (const char* variable : {"TORCHINDUCTOR_WORKER_LOGPATH", "TORCHINDUCTOR_CACHE_DIR"}) {
    EXPECT_TRUE(load({{variable, "/tmp"}}).warnings.empty()) << variable;
    s = load({{variable, "/no/such/True"}});
    EXPECT_EQ(s.warnings.size(), 1u) << variable;
    EXPECT_NE(s.warnings[0].find(" is ignored: the setting is the name of a directory"), std::string::npos)
        << s.warnings[0];
  }
  s = load({{"CI_FLAG", "CIRCLECI"}});
  EXPECT_TRUE(s.ci_flag && s.warnings.empty()) << "the word that AITemplate looks for";
  s = load({{"TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", "redis://me:secret@"}});
  EXPECT_TRUE(s.ignore_alias(SettingId::remote_cache, "no host"));
  EXPECT_EQ(s.warnings, Words{"TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=... is ignored: no host"});
}

TEST(Settings, NamesThatDoNotExistOnPurposeSayWhy) {
  const std::string reason = "kernels never depend on the number of threads, which each run may choose";
  EXPECT_EQ(load({{"CPPGEN_DYNAMIC_THREADS", "0"}}).warnings, Words{"CPPGEN_DYNAMIC_THREADS has no effect: " + reason});
  EXPECT_EQ(load({{"TORCHINDUCTOR_CPP_DYNAMIC_THREADS", "0"}}).warnings,
            Words{"TORCHINDUCTOR_CPP_DYNAMIC_THREADS has no effect: " + reason});
  EXPECT_EQ(error_of({}, {{"DYNAMIC_THREADS", "0"}}), "there is no setting DYNAMIC_THREADS: " + reason);
}

TEST(Settings, NamesOfOptionsOfOtherProgramsHaveAnAnswerInEachForm) {
  const std::string shared = std::string(reason_of_absence("ENABLE_CONCAT_LINEAR"));
  EXPECT_NE(shared, "");
  for (const char* name : {"CONCAT_LINEAR", "GROUPED_GEMM_TEMPLATE", "ENABLE_GROUPED_GEMM_TEMPLATE"})
    EXPECT_EQ(load({{std::string("CPPGEN_") + name, "1"}}).warnings,
              Words{"CPPGEN_" + std::string(name) + " has no effect: " + shared});
  EXPECT_EQ(load({{"TORCHINDUCTOR_CPP_SIMDLEN", "8"}}).warnings,
            Words{"TORCHINDUCTOR_CPP_SIMDLEN has no effect: the variable of this setting is CPPGEN_SIMDLEN"});
  EXPECT_EQ(load({{"CPPGEN_REPORT_CHOICES_STATS", "1"}}).warnings,
            Words{"unknown variable CPPGEN_REPORT_CHOICES_STATS is ignored; the nearest known name is "
                  "CPPGEN_LOG_AUTOTUNE"});
}

// What programs on OpenMP read counts, too, with less precedence than our own names.
TEST(Settings, TheThreadsOfOpenMPAreOurs) {
  for (const char* value : {"3", "3,2", " 3 , 1"}) {
    const Settings s = load({{"OMP_NUM_THREADS", value}});
    EXPECT_EQ(s.threads, 3) << value;
    EXPECT_EQ(s.source(SettingId::threads).name, "OMP_NUM_THREADS");
    EXPECT_TRUE(s.warnings.empty());
  }
  EXPECT_EQ(Settings::from_environment({{"OMP_NUM_THREADS", "3"}}, {}, SettingReader::runtime).threads, 3);
  EXPECT_EQ(load({{"OMP_NUM_THREADS", "3"}, {"CPPGEN_THREADS", "2"}}).threads, 2);
  EXPECT_EQ(load({{"OMP_NUM_THREADS", "3"}}, {{"THREADS", "1"}}).threads, 1);
  for (const char* none : {"0", "-2", "many", "5000"}) {
    const Settings s = load({{"OMP_NUM_THREADS", none}});
    EXPECT_EQ(s.threads, -1) << none;
    EXPECT_EQ(s.warnings.size(), 1u) << none;
  }
  EXPECT_EQ(load({{"OMP_PLACES", "cores"}}).warnings.size(), 1u);
}

// A program that runs packages minds its own settings.
TEST(Settings, TheRuntimeReadsRuntimeSettings) {
  const Environment environment{{"HOME", "/home/ada"},         {"CPPGEN_SIMDLEN", "7"}, {"CXX", "g++\nrm"},
                                {"NUM_BUILDERS", "auto"},      {"CPPGEN_THREADS", "3"}, {"AIT_ENABLE_CUDA_LTO", "1"},
                                {"CPPGEN_COMPILE_THREADS", ""}};
  const Settings s = Settings::from_environment(environment, {}, SettingReader::runtime);
  EXPECT_EQ(s.threads, 3);
  EXPECT_EQ(s.simdlen, 0);
  EXPECT_EQ(s.warnings, Words{});
  const Options compiling{{"SIMDLEN", "1"}}, isa{{"ISA", "scalar"}}, bad{{"THREADS", "0"}};
  EXPECT_THROW(Settings::from_environment({}, compiling, SettingReader::runtime), UserError);
  EXPECT_EQ(Settings::from_environment({}, isa, SettingReader::runtime).isa, Words{"scalar"})
      << "limits what is loaded";
  EXPECT_THROW(Settings::from_environment({}, bad, SettingReader::runtime), UserError);
  EXPECT_THROW(Settings::from_environment({{"CPPGEN_THREADS", "0"}}, {}, SettingReader::runtime), UserError);
}

TEST(Settings, BooleanSpellings) {
  for (const char* yes : {"1", "true", "YES", "on", "Ok", "easy", "TRUE"})
    EXPECT_TRUE(load({{"EASYDEL_RECOMPILE_FORCE", yes}}).recompile) << yes;
  for (const char* no : {"0", "false", "No", "OFF"})
    EXPECT_FALSE(load({{"CPPGEN_KERNEL_CACHE", no}}).kernel_cache) << no;
  EXPECT_EQ(error_of({{"CPPGEN_SMT", "2"}}),
            "CPPGEN_SMT: \"2\" is not allowed; allowed: 1, 0, true, false, yes, no, on, off, ok, easy");
}

TEST(Settings, TriState) {
  EXPECT_EQ(load({{"TORCHINDUCTOR_VEC_ISA_OK", "0"}}).vec_isa_ok, false);
  EXPECT_EQ(load({{"CPPGEN_VEC_ISA_OK", "on"}}).vec_isa_ok, true);
  EXPECT_EQ(load({{"CPPGEN_VEC_ISA_OK", "Unset"}, {"TORCHINDUCTOR_VEC_ISA_OK", "0"}}).vec_isa_ok, std::nullopt);
  EXPECT_NE(error_of({{"CPPGEN_VEC_ISA_OK", "maybe"}}).find("unset, auto, 1, 0"), std::string::npos);
}

// The instruction sets of this architecture, and the lengths of their vectors.
const std::string kIsas =
#define CPPGEN_ISA(isa, ...) ", " #isa
#define CPPGEN_ISA_TILES(isa, ...) ", " #isa
#include "runtime/base/isas.def"
    ;
const std::string kWidths =
#define CPPGEN_ISA(isa, base, bits, ...) ", " #bits
#include "runtime/base/isas.def"
    ;

TEST(Settings, NumbersOutsideTheirRangeNameWhatIsAllowed) {
  EXPECT_EQ(error_of({{"CPPGEN_THREADS", "0"}}), "CPPGEN_THREADS: \"0\" is not allowed; allowed: -1, 1 to 1024");
  EXPECT_EQ(error_of({{"CPPGEN_THREADS", "many"}}), "CPPGEN_THREADS: \"many\" is not allowed; allowed: -1, 1 to 1024");
  EXPECT_EQ(error_of({}, {{"simdlen", "384"}}), "option SIMDLEN: \"384\" is not allowed; allowed: 0" + kWidths);
  EXPECT_NE(error_of({{"CPPGEN_THREADS", "99999999999999999999"}}), "");
  EXPECT_NE(error_of({{"CPPGEN_THREADS", "4x"}}), "");
  EXPECT_EQ(load({{"CPPGEN_THREADS", " +8 "}}).threads, 8);
  EXPECT_EQ(load({{"CPPGEN_THREADS", ""}}).threads, -1);
}

TEST(Settings, Bytes) {
  EXPECT_EQ(load({{"CPPGEN_CACHE_SIZE_LIMIT", "1048576"}}).cache_size_limit, 1 << 20);
  EXPECT_EQ(load({{"CPPGEN_CACHE_SIZE_LIMIT", "2 GiB"}}).cache_size_limit, 2ll << 30);
  EXPECT_EQ(load({{"CPPGEN_CACHE_SIZE_LIMIT", "5MB"}}).cache_size_limit, 5000000);
  for (const char* bad : {"-1", "GiB", "9000000000GiB", "4 gigs", "1.5GiB"})
    EXPECT_NE(error_of({{"CPPGEN_CACHE_SIZE_LIMIT", bad}}), "") << bad;
}

TEST(Settings, ChoicesAndLists) {
  EXPECT_EQ(load({{"LOGLEVEL", "debug"}}).loglevel, "DEBUG");
  EXPECT_EQ(load({{"CPPGEN_ISA", "SCALAR"}}).isa, Words{"scalar"});
  EXPECT_EQ(error_of({{"CPPGEN_ISA", "none"}}), "CPPGEN_ISA: \"none\" is not allowed; allowed: auto" + kIsas);
  EXPECT_EQ(error_of({{"CPPGEN_AFFINITY", "socket"}}),
            "CPPGEN_AFFINITY: \"socket\" is not allowed; allowed: none, core, pu, numa");
  EXPECT_EQ(load({{"CPPGEN_MAX_AUTOTUNE_GEMM_BACKENDS", "onednn, cpp,ONEDNN"}}).max_autotune_gemm_backends,
            (Words{"ONEDNN", "CPP"}));
  EXPECT_NE(error_of({{"CPPGEN_MAX_AUTOTUNE_GEMM_BACKENDS", ","}}), "");
  EXPECT_EQ(load({{"CXX", "ccache g++"}}).cxx, "ccache g++");
  EXPECT_NE(error_of({{"CPPGEN_CXX", "g++\nrm"}}), "");
}

TEST(Settings, PlacesFollowTheEnvironment) {
  EXPECT_EQ(load({}).cache_dir, "/home/ada/.cache/cppgen");
  EXPECT_EQ(load({{"XDG_CACHE_HOME", "/var/tmp/c/"}}).cache_dir, "/var/tmp/c/cppgen");
  EXPECT_EQ(load({{"XDG_CACHE_HOME", "relative"}}).cache_dir, "/home/ada/.cache/cppgen");
  EXPECT_EQ(load({{"CPPGEN_CACHE_DIR", "/data/k/"}}).cache_dir, "/data/k");
  EXPECT_EQ(load({{"CPPGEN_CACHE_DIR", "~/k"}}).cache_dir, "/home/ada/k");
  EXPECT_THROW(Settings::from_environment({{"CPPGEN_CACHE_DIR", "~/k"}}), UserError);
  EXPECT_EQ(load({}).trace_dir, "/home/ada/.cache/cppgen/trace");
  Settings s = load({});
  s.set("cache_dir", "/elsewhere");
  EXPECT_EQ(s.trace_dir, "/elsewhere/trace");
  s.set("trace_dir", "/traces");
  s.set("cache_dir", "/third");
  EXPECT_EQ(s.trace_dir, "/traces");
  EXPECT_EQ(Settings::from_environment({}).cache_dir.rfind("/tmp/cppgen-", 0), 0u);
}

TEST(Settings, AnAliasOfCacheDirNamesAParent) {
  for (const char* alias :
       {"CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "COMPILE_FUNC_DIR", "EJKERNEL_PERSISTENT_CACHE_DIR"}) {
    Settings s = load({{alias, "/shared/cache/"}});
    EXPECT_EQ(s.cache_dir, "/shared/cache/cppgen") << alias;
    EXPECT_EQ(s.trace_dir, "/shared/cache/cppgen/trace") << alias;
  }
  EXPECT_EQ(load({{"CACHE_DIR", "/a"}, {"COMPILE_FUNC_DIR", "/a/"}}).cache_dir, "/a/cppgen");
  const Settings both = load({{"CACHE_DIR", "/a"}, {"COMPILE_FUNC_DIR", "/b"}});
  EXPECT_EQ(both.cache_dir, "/a/cppgen");
  EXPECT_EQ(both.warnings.size(), 1u);
}

TEST(Settings, UnknownNames) {
  Settings s = load({{"CPPGEN_THREDS", "2"}, {"CPPGENX", "1"}, {"CPPGEN_THREADS", "2"}});
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_EQ(s.warnings[0], "unknown variable CPPGEN_THREDS is ignored; the nearest known name is CPPGEN_THREADS");
  EXPECT_EQ(load({{"CPPGEN_thread", "2"}}).warnings.at(0),
            "unknown variable CPPGEN_thread is ignored; the nearest known name is CPPGEN_THREADS");
  EXPECT_EQ(error_of({}, {{"min-chunk", "2"}}),
            "unknown setting \"min-chunk\"; the nearest known name is MIN_CHUNK_SIZE");
  EXPECT_EQ(error_of({}, {{"NUM_BUILDERS", "2"}}),
            "unknown setting \"NUM_BUILDERS\"; the nearest known name is COMPILE_THREADS");
  EXPECT_EQ(error_of({}, {{"CUDA_DEBUG_LEVEL", "2"}}),
            "unknown setting \"CUDA_DEBUG_LEVEL\"; the nearest known name is DEBUG_LEVEL");
  EXPECT_EQ(error_of({}, {{"FOO", "2"}}), "unknown setting \"FOO\"; `cppgen config` lists the settings");
}

TEST(Settings, KeyTextHoldsWhatChangesCodeOnly) {
  std::string base = load({}).key_text();
  EXPECT_NE(base.find("MAX_FUSION_SIZE=2:64\n"), std::string::npos);
  EXPECT_EQ(load({{"CPPGEN_THREADS", "7"}, {"CPPGEN_CACHE_DIR", "/x"}}).key_text(), base);
  EXPECT_NE(load({{"CPPGEN_MAX_FUSION_SIZE", "7"}}).key_text(), base);
  EXPECT_NE(load({{"CPPGEN_COMPILER_OPT", "-O1"}}).key_text(), base);
  EXPECT_EQ(load({{"AIT_COMPILER_OPT", "-O3"}}).key_text(), base);
}

TEST(Settings, ReferenceNamesEveryRow) {
  std::string page = settings_reference_markdown();
  for (const SettingDescription& row : Settings().describe()) {
    EXPECT_NE(page.find("| `CPPGEN_" + std::string(row.name) + "` |"), std::string::npos) << row.name;
    for (const std::string& alias : row.aliases) EXPECT_NE(page.find("`" + alias + "`"), std::string::npos) << alias;
  }
}

TEST(Settings, ProcessEnvironmentIsRead) {
  setenv("CPPGEN_MAX_FUSION_SIZE", "17", 1);
  EXPECT_EQ(Settings::from_environment().max_fusion_size, 17);
  EXPECT_EQ(Settings().max_fusion_size, 64);
  unsetenv("CPPGEN_MAX_FUSION_SIZE");
  EXPECT_EQ(Settings::from_environment().max_fusion_size, 64);
}

TEST(Settings, EditDistance) {
  using setting_values::edit_distance;
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
}

TEST(Settings, WhatWasProbablyMeant) {
  using setting_values::likely_meant;
  const Words names{"run", "compile", "verify", "--input", "--output"};
  EXPECT_EQ(likely_meant("comiple", names), "compile");
  EXPECT_EQ(likely_meant("RNU", names), "run");
  EXPECT_EQ(likely_meant("x", names), std::nullopt);
  EXPECT_EQ(likely_meant("rn", names), "run");
  EXPECT_EQ(likely_meant("--inptu", names), "--input");
  EXPECT_EQ(likely_meant("frobnicate", names), std::nullopt);
}

}  // namespace
}  // namespace cppgen
