#pragma once
// Options that mean the same in every command. `add_*` describes them, `*_option` reads them.

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/suites.hpp"

namespace tilecast {

struct KernelFamily;

using OptionValues = boost::program_options::variables_map;
using OptionsDescription = boost::program_options::options_description;

// -d, --device NAME|FILE
void add_device_option(OptionsDescription& options);
// Throws UsageError when it was not given, InputError for an unknown name or a broken file.
DeviceProfile device_option(const OptionValues& values);

// -l, --layers SUITE|FILE|- (repeatable), --conv N,C,H,W,M,K[,stride,pad[,dilation]], --gemm M,N,K, --batch N
void add_layer_options(OptionsDescription& options);
// One suite for each --layers, and one named "command-line" for all --conv and --gemm. Throws UsageError when
// none was given or one is malformed, InputError for an impossible shape or a broken file.
std::vector<Suite> layers_option(const OptionValues& values);

// -f, --family NAME (repeatable, or comma-separated)
void add_family_option(OptionsDescription& options);
// Names as typed; empty when not given. family_by_name() checks them.
std::vector<std::string> family_option(const OptionValues& values);
// The families themselves, all of them when none was named. Throws InputError with the nearest name.
std::vector<const KernelFamily*> families_option(const OptionValues& values);

// --configs all|sample:N, --seed N: which of a family's configs
void add_configs_options(OptionsDescription& options);
// Configs of each layer and family; absent: all. Throws UsageError when malformed.
std::optional<std::size_t> configs_option(const OptionValues& values);

// --seed N; `what` is the option's help
void add_seed_option(OptionsDescription& options, const char* what);
// Throws UsageError for anything but a whole number of 64 bits.
std::uint64_t seed_option(const OptionValues& values);

enum class Format { table, csv, json, jsonl };

// --format table|csv|json|jsonl, -o/--out FILE, -q/--quiet
void add_output_options(OptionsDescription& options);
// Throws UsageError with the nearest name.
Format format_option(const OptionValues& values);
bool quiet_option(const OptionValues& values);
// Before long work: throws what write_file() would, for want of a folder or of the right to write there.
void expect_writable(const std::string& path);
// The same of --out, and format_option() where there is one.
void expect_output(const OptionValues& values);
// To the file of --out, renamed into place when complete, else to `out`.
void write_output(const OptionValues& values, std::string_view text, std::ostream& out);

// "1,64,56,56,64,3", "1,64,56,56,64,3,1,1" or "1,64,56,56,64,3,1,2,2". Throws UsageError when malformed,
// InputError when no layer.
ConvShape parse_conv(std::string_view text);
// "4096,4096,4096": M,N,K.
ConvShape parse_gemm(std::string_view text);
// "a,b,c"; empty parts throw UsageError naming `option`.
std::vector<std::string> split_list(std::string_view text, std::string_view option);

}  // namespace tilecast
