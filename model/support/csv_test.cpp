#include "model/support/csv.hpp"

#include <unistd.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("parse_csv: comments, quotes and line numbers", "[support]") {
  const auto t = parse_csv("# made by hand\na,b\n1,\"x, \"\"y\"\"\"\n\n2,z\n", "t.csv");
  CHECK(t.comments == std::vector<std::string>{"made by hand"});
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0].fields[1] == "x, \"y\"");
  CHECK(t.rows[1].line == 5);
  CHECK(csv_integer(t, t.rows[1], 0) == 2);
  CHECK(csv_field("x, \"y\"") == "\"x, \"\"y\"\"\"");
}

TEST_CASE("CsvReader: the same rows, where they stand", "[support]") {
  const std::string text = "# made by hand\na,b,c\n1,\"x, \"\"y\"\"\",\n\n2.5,\"\",\"z\"\n#end\n";
  CsvReader rows(text, "t.csv");
  CHECK(rows.header() == std::vector<std::string>{"a", "b", "c"});
  CHECK(rows.column("c", "a,b,c") == 2);
  CHECK_THROWS_WITH(rows.column("d", "a,b,c"), "t.csv: no column 'd', expected a,b,c");
  REQUIRE(rows.next());
  CHECK(rows.line() == 3);
  CHECK(csv_integer(rows, 0) == 1);
  CHECK(rows.fields()[0].data() == text.data() + text.find("1,"));
  CHECK(rows.fields()[1] == "x, \"y\"");
  CHECK(rows.fields()[2].empty());
  REQUIRE(rows.next());
  CHECK(rows.line() == 5);
  CHECK(csv_number(rows, 0) == 2.5);
  CHECK(rows.fields()[1].empty());
  CHECK(rows.fields()[2] == "z");
  CHECK_THROWS_WITH(csv_integer(rows, 0), "t.csv:5: column 'a': '2.5', expected an integer");
  CHECK(!rows.next());
  CHECK(rows.comments() == std::vector<std::string>{"made by hand", "end"});
}

TEST_CASE("parse_csv: a line cut short is dropped only where asked", "[support]") {
  CHECK(parse_csv("a,b\n1,2", "t").rows.size() == 1);
  const auto cut = parse_csv("a,b\n1,2\n3", "t", LastLine::dropped_without_newline);
  CHECK(cut.rows.size() == 1);
  CHECK(cut.truncated);
}

TEST_CASE("parse_csv: errors say file, line, column, value and what was expected", "[support]") {
  CHECK_THROWS_WITH(parse_csv("a,b\n1\n", "t.csv"), "t.csv:2: 1 fields, expected 2 as in the header");
  CHECK_THROWS_WITH(parse_csv("a,a\n", "t.csv"), "t.csv:1: column 'a' appears twice");
  CHECK_THROWS_WITH(parse_csv("", "t.csv"), "t.csv: no header line, expected column names");
  const auto t = parse_csv("a\n1x\n", "t.csv");
  CHECK_THROWS_WITH(csv_integer(t, t.rows[0], 0), "t.csv:2: column 'a': '1x', expected an integer");
}

TEST_CASE("write_file: a link stays a link, a pipe a pipe, a folder is refused", "[support]") {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / ("tilecast_write_file_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto path = [&](const char* name) { return (folder / name).string(); };

  write_file(path("real"), "old");
  fs::create_symlink("real", folder / "link");
  write_file(path("link"), "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(path("real")) == "new");

  REQUIRE(::mkfifo(path("pipe").c_str(), 0600) == 0);
  auto reader = std::async(std::launch::async, [&] { return read_file(path("pipe")); });
  write_file(path("pipe"), "through");
  CHECK(reader.get() == "through");
  CHECK(fs::is_fifo(folder / "pipe"));

  CHECK_THROWS_WITH(write_file(folder.string(), "x"), contains_text("a folder"));
  CHECK_THROWS_AS(write_file(path("nowhere/x"), "x"), Error);
  if (fs::is_character_file("/dev/full")) CHECK_THROWS_AS(write_file("/dev/full", "x"), Error);
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 3);  // no .tmp
  fs::remove_all(folder);
}
