#include "cassette_file.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace weft::net_detail {

namespace {

constexpr std::string_view cassette_format = "weft cassette";
constexpr std::int64_t cassette_version = 1;

struct cassette_content {
    std::string format;
    std::int64_t version = 0;
    std::vector<recorded_exchange> exchanges;
};
BOOST_DESCRIBE_STRUCT(cassette_content, (), (format, version, exchanges))

[[noreturn]] void refuse_file(const std::filesystem::path& file, std::string what)
{
    throw error{errc::invalid_configuration, file.string(), std::move(what)};
}

std::string read_bounded(const std::filesystem::path& file, std::size_t bytes_max)
{
    std::ifstream in{file, std::ios::binary};
    if (!in) refuse_file(file, "the cassette cannot be read; record it first, or correct the path");
    std::error_code ec;
    const auto size = std::filesystem::file_size(file, ec);
    if (ec) refuse_file(file, "the cassette cannot be read: " + ec.message());
    if (size > bytes_max)
        throw error{errc::limit_reached, file.string(),
                    "the cassette is larger than the " + std::to_string(bytes_max) +
                        " bytes that are read (`bytes_max`)"};
    std::string text(static_cast<std::size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/** Of another version even the shape may be another: it is looked at before the rest is read. */
void check_version(const boost::json::value& whole, const std::filesystem::path& file)
{
    const boost::json::object* const object = whole.if_object();
    const boost::json::value* const format = object ? object->if_contains("format") : nullptr;
    const boost::json::value* const version = object ? object->if_contains("version") : nullptr;
    if (!format || *format != boost::json::value(cassette_format)) refuse_file(file, "the file is no cassette");
    if (!version || *version != boost::json::value(cassette_version))
        refuse_file(file, "the cassette has version " + (version ? to_json_text(*version) : "nothing") +
                              ", and this program reads version " + std::to_string(cassette_version) +
                              "; record it again");
}

/** A new file beside the one that it is to replace; it disappears unless it takes its place. */
class replacement_file {
public:
    explicit replacement_file(const std::filesystem::path& target)
        : target_{target}, path_{target.string() + ".XXXXXX"}, file_{::mkostemp(path_.data(), O_CLOEXEC)}
    {
        if (file_ < 0) refuse();
    }
    replacement_file(const replacement_file&) = delete;
    replacement_file& operator=(const replacement_file&) = delete;
    ~replacement_file()
    {
        if (file_ >= 0) ::close(file_);
        if (!is_in_place_) ::unlink(path_.c_str());
    }

    void write(std::string_view text)
    {
        while (!text.empty()) {
            const ssize_t size = ::write(file_, text.data(), text.size());
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) refuse();
            text.remove_prefix(static_cast<std::size_t>(size));
        }
    }

    void take_place()
    {
        constexpr ::mode_t readable_by_all = 0644;  // it goes into a repository, and secrets are not in it
        const bool is_good = ::fchmod(file_, readable_by_all) == 0 && ::fsync(file_) == 0 &&
                             ::rename(path_.c_str(), target_.c_str()) == 0;
        if (!is_good) refuse();
        is_in_place_ = true;
    }

private:
    [[noreturn]] void refuse() const
    {
        refuse_file(target_, "the cassette cannot be written: " + std::generic_category().message(errno));
    }

    std::filesystem::path target_;
    std::string path_;
    int file_;
    bool is_in_place_ = false;
};

}  // namespace

std::vector<recorded_exchange> read_cassette(const std::filesystem::path& file, std::size_t bytes_max)
{
    const std::string text = read_bounded(file, bytes_max);
    try {
        const boost::json::value whole = parse_json(text);
        check_version(whole, file);
        return from_json<cassette_content>(whole).exchanges;
    } catch (const error& e) {
        if (e.where() == file.string()) throw;
        throw error{e.code(), file.string(), e.where() + ": " + e.detail()};
    }
}

void write_cassette(const std::filesystem::path& file,
                    const std::vector<std::shared_ptr<const recorded_exchange>>& exchanges)
{
    replacement_file out{file};
    out.write("{\"format\": \"" + std::string{cassette_format} +
              "\", \"version\": " + std::to_string(cassette_version) + ", \"exchanges\": [");
    const char* separator = "\n";
    for (const auto& exchange : exchanges) {
        out.write(separator + to_json_text(to_json(*exchange), json_spacing::written));
        separator = ",\n";
    }
    out.write("\n]}\n");
    out.take_place();
}

}  // namespace weft::net_detail
