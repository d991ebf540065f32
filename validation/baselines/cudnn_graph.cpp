// cuDNN by its graph interface: a graph of one forward convolution, float32 with float32 accumulation, and
// every engine configuration that heuristics A, B and FALLBACK give for it, NCHW and NHWC. Configurations
// that note tensor cores or converted inputs are not true float32: they are listed with that as their status,
// not run.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <set>

#include "validation/baselines/cudnn_backend.hpp"
#include "validation/baselines/libraries.hpp"

namespace tilecast {
namespace {

enum class Layout { nchw, nhwc };
constexpr std::int64_t input_id = 1, filter_id = 2, output_id = 3;

struct EngineConfig {
  BackendDescriptor descriptor;
  std::int64_t engine = 0;
  std::string knobs;               // "2=5;13=1": cudnnBackendKnobType_t = value
  std::vector<std::string> notes;  // of its arithmetic
  std::string refusal;             // why it is not true float32
};

BackendDescriptor tensor_descriptor(const CudnnApi& api, std::int64_t id, std::array<std::int64_t, 4> sizes,
                                    Layout layout) {
  const auto [n, c, h, w] = sizes;
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  BackendDescriptor tensor(api, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  tensor.set_integers(CUDNN_ATTR_TENSOR_DIMENSIONS, {n, c, h, w});
  tensor.set_integers(CUDNN_ATTR_TENSOR_STRIDES, layout == Layout::nchw
                                                     ? std::vector<std::int64_t>{c * h * w, h * w, w, 1}
                                                     : std::vector<std::int64_t>{c * h * w, 1, w * c, c});
  tensor.set_integers(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
  tensor.set_integers(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  tensor.finalize();
  return tensor;
}

BackendDescriptor convolution_descriptor(const CudnnApi& api, const ConvShape& s) {
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  BackendDescriptor convolution(api, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  convolution.set_integers(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
  convolution.set_integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {s.pad, s.pad});
  convolution.set_integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {s.pad, s.pad});
  convolution.set_integers(CUDNN_ATTR_CONVOLUTION_DILATIONS, {s.dilation, s.dilation});
  convolution.set_integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {s.stride, s.stride});
  convolution.finalize();
  return convolution;
}

// The graph and all that it refers to.
class ForwardGraph {
 public:
  ForwardGraph(const CudnnApi& api, cudnnHandle_t handle, const ConvShape& s, Layout layout)
      : input_(tensor_descriptor(api, input_id, {s.N, s.C, s.H, s.W}, layout)),
        filters_(tensor_descriptor(api, filter_id, {s.M, s.C, s.K, s.K}, layout)),
        output_(tensor_descriptor(api, output_id, {s.N, s.M, s.out_h(), s.out_w()}, layout)),
        convolution_(convolution_descriptor(api, s)),
        operation_(api, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR),
        graph_(api, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    const float one = 1, zero = 0;
    operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &one);
    operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &zero);
    operation_.set_descriptors(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, {convolution_.get()});
    operation_.set_descriptors(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, {input_.get()});
    operation_.set_descriptors(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, {filters_.get()});
    operation_.set_descriptors(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, {output_.get()});
    operation_.finalize();
    graph_.set_descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS, {operation_.get()});
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    graph_.finalize();
  }
  cudnnBackendDescriptor_t get() const { return graph_.get(); }

 private:
  BackendDescriptor input_, filters_, output_, convolution_, operation_, graph_;
};

const char* note_name(cudnnBackendNumericalNote_t note) {
  switch (note) {
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      return "TENSOR_CORE";
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      return "DOWN_CONVERT_INPUTS";
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      return "REDUCED_PRECISION_REDUCTION";
    case CUDNN_NUMERICAL_NOTE_FFT:
      return "FFT";
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      return "NONDETERMINISTIC";
    case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      return "WINOGRAD";
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
      return "WINOGRAD_TILE_4x4";
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      return "WINOGRAD_TILE_6x6";
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
      return "WINOGRAD_TILE_13x13";
    case CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP:
      return "STRICT_NAN_PROP";
    default:
      return "OTHER";
  }
}

std::string knob_text(const CudnnApi& api, const BackendDescriptor& config) {
  std::vector<BackendDescriptor> choices;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    choices.emplace_back(api, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    handles.push_back(choices.back().get());
  }
  const auto count = config.get(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                static_cast<std::int64_t>(handles.size()), handles.data());
  std::vector<std::string> knobs;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && i < choices.size(); ++i) {
    cudnnBackendKnobType_t type{};
    choices[i].get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
    knobs.push_back(fmt::format("{}={}", static_cast<int>(type),
                                choices[i].get_integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)));
  }
  return fmt::format("{}", fmt::join(knobs, ";"));
}

// nullopt when the library does not say what it is, which leaves nothing to name a row by.
std::optional<EngineConfig> describe_engine(const CudnnApi& api, BackendDescriptor descriptor) try {
  EngineConfig config{std::move(descriptor), 0, {}, {}, {}};
  const BackendDescriptor engine(api, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  auto handle = engine.get();
  config.descriptor.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle);
  config.engine = engine.get_integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
  const auto count = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                static_cast<std::int64_t>(notes.size()), notes.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && i < notes.size(); ++i) {
    config.notes.emplace_back(note_name(notes[i]));
    if (notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || notes[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)
      config.refusal = fmt::format("not true float32 ({})", config.notes.back());
  }
  config.knobs = knob_text(api, config.descriptor);
  return config;
} catch (const LibraryRefusal&) {
  return std::nullopt;
}

// Best first, as the heuristics order them; each engine and choice of knobs once.
std::vector<EngineConfig> engine_configs(const CudnnApi& api, const ForwardGraph& graph) {
  std::vector<EngineConfig> configs;
  std::set<std::pair<std::int64_t, std::string>> seen;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
    try {
      BackendDescriptor heuristic(api, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
      heuristic.set_descriptors(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, {graph.get()});
      heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
      heuristic.finalize();
      const auto expected =
          heuristic.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
      std::vector<BackendDescriptor> descriptors;
      std::vector<cudnnBackendDescriptor_t> handles;
      for (std::int64_t i = 0; i < expected; ++i) {
        descriptors.emplace_back(api, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        handles.push_back(descriptors.back().get());
      }
      const auto count = expected == 0
                             ? 0
                             : heuristic.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                             expected, handles.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(count) && i < descriptors.size(); ++i) {
        auto config = describe_engine(api, std::move(descriptors[i]));
        if (config && seen.emplace(config->engine, config->knobs).second)
          configs.push_back(std::move(*config));
      }
    } catch (const LibraryRefusal&) {
      // A mode that does not serve this graph; the others still do.
    }
  }
  return configs;
}

// A finalized plan with its workspace and its arguments.
class Plan {
 public:
  Plan(const CudnnApi& api, cudnnHandle_t handle, const EngineConfig& config, const DeviceBuffer& input,
       const DeviceBuffer& filters, const DeviceBuffer& output)
      : api_(api),
        handle_(handle),
        plan_(api, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
        arguments_(api, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    plan_.set_descriptors(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, {config.descriptor.get()});
    plan_.finalize();
    const auto bytes = plan_.get_integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (static_cast<std::size_t>(bytes) > baseline_workspace_limit)
      throw LibraryRefusal("execution plan", fmt::format("workspace of {} MiB", bytes >> 20));
    workspace_ = DeviceBuffer(static_cast<std::size_t>(bytes));
    const std::uint64_t pointers[] = {input.address(), filters.address(), output.address()};
    const std::uint64_t workspace = workspace_.address();
    arguments_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
    arguments_.set_integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {input_id, filter_id, output_id});
    arguments_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    arguments_.finalize();
  }
  void execute() const {
    check_cudnn(api_, api_.cudnnBackendExecute(handle_, plan_.get(), arguments_.get()),
                "cudnnBackendExecute");
  }

 private:
  const CudnnApi& api_;
  cudnnHandle_t handle_;
  BackendDescriptor plan_, arguments_;
  DeviceBuffer workspace_;
};

class CudnnGraph : public Baseline {
 public:
  CudnnGraph(Gpu& gpu, GpuReference& reference, CudnnApi api)
      : reference_(reference), api_(std::move(api)), handle_(api_, gpu.stream()) {}
  std::string version() const override { return cudnn_version_text(api_); }
  std::vector<std::string> axes() const override { return {"layout", "engine", "knobs", "notes"}; }

  void each_candidate(LayerTensors& tensors, const std::function<bool(const BaselineConfig&)>& wanted,
                      const std::function<void(const BaselineCandidate&)>& visit) override {
    each_plan(tensors, Layout::nchw, tensors.input, tensors.filters, tensors.output, {}, wanted, visit);

    const auto& s = tensors.shape;
    DeviceBuffer input(tensors.input.bytes()), filters(tensors.filters.bytes());
    DeviceBuffer output(static_cast<std::size_t>(s.output_elements()) * sizeof(float));
    reference_.swap_inner(tensors.input, input, s.N, s.C, s.H * s.W);
    reference_.swap_inner(tensors.filters, filters, s.M, s.C, s.K * s.K);
    const auto finish = [&] {
      reference_.swap_inner(output, tensors.output, s.N, s.out_h() * s.out_w(), s.M);
    };
    each_plan(tensors, Layout::nhwc, input, filters, output, finish, wanted, visit);
  }

 private:
  void each_plan(const LayerTensors& tensors, Layout layout, const DeviceBuffer& input,
                 const DeviceBuffer& filters, DeviceBuffer& output, const std::function<void()>& finish,
                 const std::function<bool(const BaselineConfig&)>& wanted,
                 const std::function<void(const BaselineCandidate&)>& visit) {
    const ForwardGraph graph(api_, handle_.get(), tensors.shape, layout);
    for (const auto& engine : engine_configs(api_, graph)) {
      BaselineCandidate candidate{.config = {{"layout", layout == Layout::nchw ? "NCHW" : "NHWC"},
                                             {"engine", std::to_string(engine.engine)},
                                             {"knobs", engine.knobs},
                                             {"notes", fmt::format("{}", fmt::join(engine.notes, ";"))}},
                                  .refusal = engine.refusal,
                                  .enqueue = {},
                                  .finish = finish};
      if (!wanted(candidate.config)) continue;
      std::optional<Plan> plan;
      if (candidate.refusal.empty()) {
        try {
          plan.emplace(api_, handle_.get(), engine, input, filters, output);
          candidate.enqueue = [&plan] { plan->execute(); };
          if (finish) reference_.poison(output);  // the caller poisons its own output alone
        } catch (const LibraryRefusal& refusal) {
          candidate.refusal = refusal.status;
        }
      }
      visit(candidate);
    }
  }
  GpuReference& reference_;
  CudnnApi api_;
  CudnnHandle handle_;
};

}  // namespace

std::unique_ptr<Baseline> open_cudnn_graph(Gpu& gpu, GpuReference& reference) {
  return std::make_unique<CudnnGraph>(gpu, reference, load_cudnn());
}

}  // namespace tilecast
