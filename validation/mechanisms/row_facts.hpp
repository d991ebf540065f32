#pragma once
// What tells one row from another: the axes of its config, its layer's sizes, its launch; and which rows are
// off like one of them. Pure.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/device/occupancy.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// Numbers by name. The names are literals, or the family's of its axes.
struct RowFacts {
  std::vector<std::pair<std::string_view, double>> numbers;
  std::optional<double> find(std::string_view name) const;
};

// The config's axes; N C H W M K stride pad dilation out_h out_w input_bytes filter_bytes output_bytes;
// blocks cluster threads warps (of a block) registers shared_bytes blocks_per_sm waves code_instructions; sms
// l2_bytes.
RowFacts row_facts(const ConvShape& shape, const Config& config, const KernelDescription& kernel,
                   const DeviceProfile& device);

// The names above that no config has.
std::span<const std::string_view> common_facts();

// A row of one family with its error.
struct FactRow {
  RowFacts facts;
  std::string layer;
  double signed_error = 0;  // (predicted - measured) / measured
};

// The rows that have something in common with one of them.
struct LikeRows {
  std::string what;  // "M_tile = 4, warps = 1", "layer conv-1"
  std::size_t rows = 0, layers = 0;
  double median_error = 0;            // signed, of these rows
  std::optional<double> elsewhere{};  // of all others; nothing: there are none
};

// A family's rows by what they share.
class RowGroups {
 public:
  explicit RowGroups(std::span<const FactRow> rows);  // which must outlive this

  // Of the groups that rows[which] is in, one that is off in its direction by at least half as much (median):
  // the rows of its layer (at least ten), or those that share with it the axis, K, warps or blocks_per_sm
  // that makes the largest median, and up to two more such things that make it a quarter larger each (at
  // least ten rows of three layers). Nothing: the row stands alone. It says where the error is, not why.
  std::optional<LikeRows> like(std::size_t which) const;

 private:
  using Places = std::vector<std::size_t>;  // ascending
  struct Group {
    LikeRows like;
    Places members;
  };
  // The values of one thing that rows share, by row; not a number: the row does not have it.
  struct Thing {
    std::vector<double> values;
    std::map<double, std::optional<Group>> groups;
  };
  // Nothing: too few rows or layers to speak of.
  std::optional<Group> group_of(std::string what, std::size_t layers_wanted, Places members) const;

  std::span<const FactRow> rows_;
  std::vector<std::size_t> layer_of_;
  std::size_t layer_count_ = 0;
  std::map<std::string, Thing, std::less<>> things_;
  std::vector<std::optional<Group>> layers_;
};

// "M_tile = 4 (54 rows of 18 layers): median +41.2 %, others +0.9 %"
std::string like_rows_text(const LikeRows& like);

}  // namespace tilecast
