#include "report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <ostream>

namespace weft_bench {

namespace {

// Three digits that count, however large the number.
std::string in_short(double value)
{
    char text[32];
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace

void print_names(std::ostream& out, const benchmarks& all)
{
    for (const benchmark& one : all) {
        char line[256];
        std::snprintf(line, sizeof line, "%-26s %-18s ", one.name.c_str(), one.unit.c_str());
        out << line << one.what << '\n';
    }
}

void print_table_head(std::ostream& out)
{
    char line[256];
    std::snprintf(line, sizeof line, "%-26s %10s %10s %7s %7s  %-18s %s", "name", "weft", "floor", "ratio", "spread",
                  "unit", "goal");
    out << line << "\n" << std::flush;
}

void print_table_line(std::ostream& out, const benchmark& of, const measurement& found)
{
    char line[512];
    std::snprintf(line, sizeof line, "%-26s %10s %10s %7.2f %6.1f%%  %-18s %s", of.name.c_str(),
                  in_short(found.weft).c_str(), in_short(found.floor).c_str(), found.ratio(), 100 * found.spread,
                  of.unit.c_str(), of.goal.c_str());
    out << line << "\n" << std::flush;
}

void print_json_line(std::ostream& out, const benchmark& of, const measurement& found)
{
    boost::json::object line{{"name", of.name},        {"unit", of.unit},         {"weft", found.weft},
                             {"floor", found.floor},   {"ratio", found.ratio()}, {"spread", found.spread}};
    if (found.weft_least > 0) line["weft_least"] = found.weft_least;
    if (found.floor_least > 0) line["floor_least"] = found.floor_least;
    out << boost::json::serialize(line) << "\n" << std::flush;
}

}  // namespace weft_bench
