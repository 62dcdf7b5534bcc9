#include "debts.hpp"

#include "outline.hpp"

#include <algorithm>
#include <regex>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace weft_tidy {

namespace {

using debts = std::map<std::string, debt>;

constexpr std::size_t functions_max = 40;
constexpr std::size_t header_comments_min = 30;  // percent
constexpr std::size_t source_comments_min = 5;

struct outlined {
    const source_text* source;
    std::string floor;
    outline what;
};

// The floor of a file of the product or of its tests; empty for others.
std::string floor_of(const source_text& source)
{
    if (!source.is_cpp()) return {};
    if (source.is_under("cli/")) return "cli";
    for (const std::string_view root : {"include/weft/", "lib/", "async_tests/"}) {
        if (!source.is_under(root)) continue;
        const std::size_t end = source.path.find('/', root.size());
        return end == std::string::npos ? std::string{} : source.path.substr(root.size(), end - root.size());
    }
    return {};
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string stem_of(const std::string& path)
{
    const std::size_t begin = path.rfind('/') + 1;
    return path.substr(begin, path.rfind('.') - begin);
}

void add(debts& found, const std::string& floor, const std::string& rule, const source_text& source, std::size_t line,
         const std::string& what)
{
    debt& one = found[floor + " " + rule];
    ++one.count;
    refuse(one.places, source, line, what);
}

void check_functions(const outlined& file, debts& found)
{
    for (const type_outline& type : file.what.types)
        if (type.functions > functions_max)
            add(found, file.floor, "functions", *file.source, type.line,
                type.name + " has " + std::to_string(type.functions) + " member functions: divide it");
}

// Where each class of a floor is declared.
using class_homes = std::multimap<std::pair<std::string, std::string>, const source_text*>;

void check_homes(const outlined& file, const class_homes& homes, debts& found)
{
    for (const definition_outline& one : file.what.definitions) {
        // Without the namespaces at the front, as far as they are written.
        auto [first, last] = homes.equal_range({file.floor, one.owner});
        for (std::string owner = one.owner; first == last && owner.find("::") != std::string::npos;) {
            owner = owner.substr(owner.find("::") + 2);
            std::tie(first, last) = homes.equal_range({file.floor, owner});
        }
        const auto is_home = [&](const auto& home) {
            const std::string& path = file.source->path;
            return home.second == file.source || stem_of(home.second->path) == stem_of(path) ||
                   (file.source->is_header() && folder_of(home.second->path) == folder_of(path));
        };
        if (first == last || std::any_of(first, last, is_home)) continue;
        add(found, file.floor, "homes", *file.source, one.line,
            one.owner + "::" + one.name + " is declared in " + first->second->path + ": define it in " +
                stem_of(first->second->path) + ".cpp");
    }
}

void check_types(const std::vector<outlined>& files, debts& found)
{
    std::map<std::string, std::pair<const source_text*, std::string>> first;
    for (const outlined& file : files) {
        if (!file.source->is_under("include/")) continue;
        for (const type_outline& type : file.what.types) {
            if (type.name.find("::") != std::string::npos || type.space.find("detail") != std::string::npos) continue;
            const auto [other, is_new] = first.try_emplace(type.name, file.source, type.space);
            if (!is_new && other->second.first != file.source)
                add(found, file.floor, "types", *file.source, type.line,
                    type.space + "::" + type.name + " has the name of a type of " + other->second.first->path);
        }
    }
}

struct refused_name {
    std::regex form;
    std::string remedy;
};

const std::vector<refused_name>& refused_names()
{
    static const std::vector<refused_name> all = {
        {std::regex{"(.*_)?desks?(_.*)?"}, "say what it does, as in 'registry' or 'open_questions'"},
        {std::regex{"(.*_)?keepers?(_.*)?"}, "say what it does, as in 'saver'"},
        {std::regex{"(.*_)?dogs?(_.*)?"}, "use 'watchdog'"},
        {std::regex{"(.*_)?rehears.*"}, "use 'dry_run'"},
        {std::regex{"kept_.+"}, "use 'saved', 'recorded' or 'stored'"},
        {std::regex{".+_words_?"}, "use 'args' of a command line, 'names' or 'text'"},
        {std::regex{".+_parts?_?"}, "use 'impl', 'state' or 'context', or say what it is a part of"},
        {std::regex{"nobody|somebody|whoever"}, "name the thing that acts"},
    };
    return all;
}

// Parts of a message are what the interfaces of models call them, words of a text are words, and Boost.JSON gives the
// names of what its parser calls. Graph files say `kept_when` of a constraint.
bool is_of_the_field(const std::string& name)
{
    static const std::regex names{"((content|text|image|json|reasoning|refusal|message|file|data)_parts?"
                                  "|(add|append|is|read|add_content)_part|(raw|text_of)_parts"
                                  "|on_\\w+_part|(integer|whole)_part"
                                  "|(recent|stop)_words|kept_when)"};
    return std::regex_match(name, names);
}

// What to do about a name; nothing for most. Names recur, so each is looked at once.
const std::string& remedy_for(const std::string& name)
{
    static std::unordered_map<std::string, std::string> known;
    const auto [entry, is_new] = known.try_emplace(name);
    if (!is_new) return entry->second;
    for (const refused_name& refused : refused_names())
        if (std::regex_match(name, refused.form) && !is_of_the_field(name)) entry->second = refused.remedy;
    return entry->second;
}

void check_names(const outlined& file, debts& found)
{
    std::unordered_map<std::string, std::size_t> names{{stem_of(file.source->path), 0}};  // and the line of the first
    for (std::size_t i = 0; i < file.source->code.size(); ++i) {
        const std::string& code = file.source->code[i];
        if (code.starts_with('#')) continue;
        for (std::size_t at = 0; at < code.size();) {
            std::size_t end = at;
            while (end < code.size() && is_word(code[end])) ++end;
            if (end > at) names.try_emplace(code.substr(at, end - at), i);
            at = std::max(end, at + 1);
        }
    }
    for (const auto& [name, line] : names)
        if (const std::string& remedy = remedy_for(name); !remedy.empty())
            add(found, file.floor, "names", *file.source, line, "instead of '" + name + "': " + remedy);
}

void check_persons(const source_text& source, const std::string& floor, debts& found)
{
    static const std::regex unknown{R"x((^|[^"A-Za-z_])(nobody|somebody|whoever)\b)x", std::regex::icase};
    std::smatch word;
    for (std::size_t i = 0; i < source.comments.size(); ++i)
        if (!source.comments[i].empty() && std::regex_search(source.comments[i], word, unknown))
            add(found, floor, "persons", source, i,
                "instead of '" + word.str(2) + "' name the thing that acts (docs/GLOSSARY.md)");
}

// By floor: lines with a comment, and lines that are not empty.
class comment_shares {
public:
    void count(const std::string& floor, const source_text& source)
    {
        auto& [commented, lines] = counts_[floor];
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            lines += source.lines[i].empty() ? 0 : 1;
            commented += source.comments[i].empty() ? 0 : 1;
        }
    }

    void add_debts(const std::string& rule, std::size_t percent_min, debts& found) const
    {
        for (const auto& [floor, counts] : counts_) {
            const std::size_t wanted = (counts.second * percent_min + 99) / 100;
            if (counts.first >= wanted) continue;
            const std::size_t missing = ((wanted - counts.first) * 100 + counts.second - 1) / counts.second;
            found[floor + " " + rule] = {
                missing, {floor + ": " + std::to_string(counts.first) + " of " + std::to_string(counts.second) +
                              " lines have a comment, at least " + std::to_string(wanted) + " should: say why"}};
        }
    }

private:
    std::map<std::string, std::pair<std::size_t, std::size_t>> counts_;
};

}  // namespace

std::map<std::string, debt> debts_of(const std::vector<source_text>& project)
{
    debts found;
    std::vector<outlined> files;
    class_homes homes;
    comment_shares headers;
    comment_shares sources;
    for (const source_text& source : project) {
        const std::string floor = floor_of(source);
        if (floor.empty()) continue;
        check_persons(source, floor, found);
        if (source.is_under("async_tests/")) continue;
        if (source.is_under("include/")) headers.count(floor, source);
        if (source.is_under("lib/") && !source.is_header()) sources.count(floor, source);
        files.push_back({&source, floor, outline_of(source)});
        for (const type_outline& type : files.back().what.types) homes.emplace(std::pair{floor, type.name}, &source);
    }
    for (const outlined& file : files) {
        check_functions(file, found);
        check_homes(file, homes, found);
        check_names(file, found);
    }
    check_types(files, found);
    headers.add_debts("header_comments", header_comments_min, found);
    sources.add_debts("source_comments", source_comments_min, found);
    return found;
}

mistakes told(const std::map<std::string, debt>& debts)
{
    mistakes all;
    for (const auto& [name, one] : debts) {
        all.push_back(name + ": " + std::to_string(one.count));
        all.insert(all.end(), one.places.begin(), one.places.end());
    }
    return all;
}

}  // namespace weft_tidy
