#include "kernels/code_record.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("code records: what is written is read back, sorted by key") {
  CodeRecords records;
  records.set("b.cu:b K=3",
              {.registers = 64, .static_shared_bytes = 128, .spill_bytes = 8, .code_hash = "0b"});
  records.set("a.cu:a K=1,5", {.registers = 32, .code_hash = "0a"});
  records.compiler = "NVRTC 13.0";
  const auto text = format_code_records(records);
  CHECK(text ==
        "# compiler: NVRTC 13.0\n"
        "key,registers,static_shared_bytes,spill_bytes,code_hash\n"
        "\"a.cu:a K=1,5\",32,0,0,0a\n"
        "b.cu:b K=3,64,128,8,0b\n");
  const auto back = parse_code_records(text, "sm_90.csv");
  CHECK(back.compiler == "NVRTC 13.0");
  REQUIRE(back.all().size() == 2);
  REQUIRE(back.find("b.cu:b K=3") != nullptr);
  CHECK(back.find("b.cu:b K=3")->registers == 64);
  CHECK(back.find("b.cu:b K=3")->static_shared_bytes == 128);
  CHECK(back.find("b.cu:b K=3")->spill_bytes == 8);
  CHECK(back.find("a.cu:a K=1,5")->code_hash == "0a");
  CHECK(back.find("c") == nullptr);
}

TEST_CASE("code records: errors name file, line, column and what was expected") {
  const std::string header = "key,registers,static_shared_bytes,spill_bytes,code_hash\n";
  CHECK_THROWS_WITH(parse_code_records(header + "a,-4,0,0,x\n", "r.csv"),
                    "r.csv:2: column 'registers': '-4', expected a count of at least 0");
  CHECK_THROWS_WITH(parse_code_records(header + "a,4,0,0,x\na,4,0,0,x\n", "r.csv"),
                    "r.csv:3: key 'a' appears twice, expected one record a specialisation");
  CHECK_THROWS_AS(parse_code_records("key,registers\na,1\n", "r.csv"), InputError);
}

TEST_CASE("code records: the committed files parse, and an architecture without one has no records") {
  CHECK(committed_code_records(1, 0).all().empty());
  for (const auto& [key, record] : committed_code_records(9, 0).all()) {
    INFO(key);
    CHECK(record.registers > 0);
    CHECK(record.registers <= 255);  // the hardware's limit a thread
    CHECK(record.code_hash.size() == 16);
  }
}
