// Which launches of a code are read. The last case needs NVRTC and nvdisasm, no GPU.

#include "cli/read_codes.hpp"

#include <sstream>

#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

CodeMix mix_of_fmas(double fmas) {
  CodeMix mix;
  mix.pace.thread_fmas = fmas;
  return mix;
}

std::vector<double> fmas_of(const std::vector<const CodeLaunch*>& launches) {
  std::vector<double> fmas;
  for (const auto* launch : launches)
    fmas.push_back(launch->thread_fmas);
  return fmas;
}

}  // namespace

TEST_CASE("launches that are read: those of as many multiply-adds as none that is known", "[cli]") {
  const CodeLaunch a{{}, 200}, b{{}, 250}, c{{}, 900}, d{{}, 20}, also_b{{}, 250};
  CHECK(fmas_of(new_launches({&a, &b, &c, &d, &also_b}, nullptr)) == std::vector<double>{900, 250, 200, 20});
  LaunchMixes known;
  known.add(mix_of_fmas(20));
  CHECK(fmas_of(new_launches({&a, &b, &c, &d}, &known)) == std::vector<double>{900, 250, 200});
  known.add(mix_of_fmas(200));
  known.add(mix_of_fmas(250));
  known.add(mix_of_fmas(900));
  CHECK(fmas_of(new_launches({&a, &b, &c, &d}, &known)).empty());
}

TEST_CASE("launches that are read: a committed code's, too, where they do much more", "[cli][nvrtc]") {
  const auto device = load_device("h200");
  const auto& family = family_by_name("sgemm");
  // One code, whatever the depth: the second product is 3 times as deep as any that is recorded.
  const auto config = family.configs(gemm_shape(64, 64, 64), device).front();
  const auto shallow = code_launch(family, gemm_shape(64, 64, 64), config, device);
  const auto deep = code_launch(family, gemm_shape(64, 64, 12000), config, device);
  REQUIRE(shallow.plan.code.key() == deep.plan.code.key());
  std::ostringstream err;
  ReadCodes codes(device, "test", 1, err);
  try {
    codes.read({shallow});
  } catch (const UnavailableError& error) {
    SUCCEED("NVRTC or nvdisasm is not here: " << error.what());
    return;
  }
  const auto* before = codes.find(shallow.plan.code.key());
  REQUIRE(before);
  REQUIRE(before->mixes);
  const auto known = before->mixes->all().size();
  CHECK_FALSE(before->mixes->covers(deep.thread_fmas));
  const auto hash = before->code_hash;
  codes.read({shallow, deep});
  INFO(err.str());
  const auto* after = codes.find(deep.plan.code.key());
  REQUIRE(after);
  CHECK(after->code_hash == hash);
  if (err.str().find("are counted by launches") != std::string::npos) return;  // a committed code, no toolkit
  REQUIRE(after->mixes->all().size() == known + 1);
  CHECK(after->mixes->covers(deep.thread_fmas));
  CHECK(after->mixes->covers(shallow.thread_fmas));
}
